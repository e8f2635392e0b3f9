import type { Condition } from "../../shared/model/condition.ts";
import { Alarm } from "../apply/alarm.ts";
import { Waiters } from "../apply/waiters.ts";
import { KubeError } from "../kubernetes/errors.ts";
import { DNS_RECORD } from "../kubernetes/kinds.ts";
import { type KubeObject, refKey } from "../kubernetes/object.ts";
import { backoffMs } from "../runtime/backoff.ts";
import type { Log } from "../runtime/log.ts";
import { LogOnChange } from "../runtime/log-on-change.ts";
import type { ApiServerClock } from "./api-server-clock.ts";
import {
  addFinalizer,
  type FinalizerClient,
  type FinalizerContext,
  isMember,
  type Phase,
  phaseOf,
  removeFinalizer,
} from "./finalizer.ts";

/** Changes that come together are looked at together. */
const TOGETHER_MS = 20;

/** So soon the watch says that a released record is gone. */
const UNSEEN_MS = 10_000;

type Claim = Extract<Phase, { type: "Claim" }>;
type Release = Extract<Phase, { type: "Release" }>;

interface RecordCache {
  list(): readonly KubeObject[];
  put(object: KubeObject): void;
}

export interface FinalizerControllerOptions {
  client: FinalizerClient;
  records: RecordCache;
  apiClock: ApiServerClock;
  deletionTimeoutMs: number;
  /** Records whose finalizer is written at the same time. */
  concurrency: number;
  isEdgeReachable: () => boolean;
  /** Whether the record's root host is in DNS, by whichever record. */
  isServed: (record: KubeObject) => boolean;
  /** Whether a DNSEndpoint that goes with the record is still there. */
  isInDns: (record: KubeObject) => boolean;
  onEvent: (record: KubeObject, event: { type: "Normal" | "Warning"; reason: string; message: string }) => void;
  log: Log;
  /** A clock that only goes forward, in milliseconds. */
  elapsedMs: () => number;
  random: () => number;
}

/**
 * Holds each record by a finalizer from before it is first pushed until the edge has forgotten it, so that a deleted one is
 * withdrawn before it is gone. It works from what is there, and so goes on after a restart where it was.
 */
export class FinalizerController {
  readonly #options: FinalizerControllerOptions;
  readonly #noted: LogOnChange;
  readonly #alarm: Alarm;
  readonly #idle = new Waiters();
  /** By uid. */
  readonly #failures = new Map<string, { count: number; retryAtMs: number }>();
  readonly #busy = new Set<string>();
  #takenUids = new Set<string>();
  #taken: ReadonlySet<string> | undefined;
  #named: ReadonlySet<string> | undefined;
  #stopped = false;

  constructor(options: FinalizerControllerOptions) {
    this.#options = options;
    this.#noted = new LogOnChange(options.log);
    this.#alarm = new Alarm(() => this.#look(), options.elapsedMs);
  }

  /**
   * Whether the record is to be pushed and published. One whose host is in DNS is so at once: it may be taking over from another
   * that is being deleted in the same moment, and until its finalizer was read back the host would be nobody's.
   */
  isMember(record: KubeObject): boolean {
    if (isMember(record, this.#wasTaken(record))) return true;
    return record.metadata.deletionTimestamp === undefined && this.#options.isServed(record);
  }

  /** `Withdrawn`, of a record that is being deleted and waits for the edge. */
  conditionOf(record: KubeObject): Condition | undefined {
    const phase = this.#phaseOf(record);
    return phase.type === "Withdrawing" ? phase.condition : undefined;
  }

  /** A record, a DNSEndpoint or the contact with the edge has changed. */
  changed(): void {
    if (!this.#stopped) this.#alarm.set(this.#options.elapsedMs() + TOGETHER_MS);
  }

  /**
   * What the edge is known to hold has changed.
   *
   * @param taken the records of the newest snapshot that the edge took, by `namespace/name`
   * @param named this cluster's records that the newest delivery names; undefined before there was one
   */
  edgeStateChanged(taken: ReadonlySet<string> | undefined, named: ReadonlySet<string> | undefined): void {
    this.#taken = taken ?? this.#taken;
    this.#named = named ?? this.#named;
    for (const { metadata } of this.#options.records.list())
      if (taken?.has(refKey(metadata)) && metadata.uid !== undefined) this.#takenUids.add(metadata.uid);
    this.changed();
  }

  /** Begins no further write; resolves when those under way have ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#alarm.clear();
    const ended = this.#idle.until(() => this.#busy.size === 0);
    this.#idle.look();
    await ended;
  }

  #wasTaken({ metadata }: KubeObject): boolean {
    return this.#takenUids.has(metadata.uid ?? "");
  }

  #phaseOf(record: KubeObject): Phase {
    const { apiClock, deletionTimeoutMs, isEdgeReachable, isInDns } = this.#options;
    apiClock.observe(record);
    const around: FinalizerContext = {
      taken: this.#taken,
      named: this.#named,
      isEdgeReachable: isEdgeReachable(),
      wasTaken: this.#wasTaken(record),
      isInDns: record.metadata.deletionTimestamp !== undefined && isInDns(record),
      apiNowMs: apiClock.nowMs(),
      deletionTimeoutMs,
    };
    return phaseOf(record, around);
  }

  /** Looks at every record, and does for each what its phase asks for. */
  #look(): void {
    if (this.#stopped) return;
    const records = this.#options.records.list();
    this.#forgetGone(records);
    for (const record of records) this.#lookAt(record);
  }

  #lookAt(record: KubeObject): void {
    const { elapsedMs, concurrency } = this.#options;
    const phase = this.#phaseOf(record);
    if (phase.type === "Withdrawing") this.#alarm.set(elapsedMs() + phase.leftMs);
    if (phase.type !== "Claim" && phase.type !== "Release") return;
    const { uid = "" } = record.metadata;
    const retryAtMs = this.#failures.get(uid)?.retryAtMs ?? 0;
    if (retryAtMs > elapsedMs()) this.#alarm.set(retryAtMs);
    else if (this.#busy.size < concurrency && !this.#busy.has(uid)) void this.#act(record, uid, phase);
  }

  async #act(record: KubeObject, uid: string, phase: Claim | Release): Promise<void> {
    this.#busy.add(uid);
    try {
      if (phase.type === "Claim") await this.#claim(record, uid);
      else await this.#release(record, uid, phase);
      this.#note(record, undefined);
    } catch (error) {
      this.#failed(record, uid, error as Error);
    } finally {
      this.#busy.delete(uid);
      this.changed();
      this.#idle.look();
    }
  }

  async #claim(record: KubeObject, uid: string): Promise<void> {
    this.#options.records.put(await addFinalizer(this.#options.client, record));
    this.#failures.delete(uid);
  }

  /** What the API answers is not kept: the object is gone with that, and only the watch may say so. */
  async #release(record: KubeObject, uid: string, { reason, message }: Release): Promise<void> {
    const { client, elapsedMs, onEvent } = this.#options;
    await removeFinalizer(client, record);
    this.#failures.set(uid, { count: 0, retryAtMs: elapsedMs() + UNSEEN_MS });
    onEvent(record, { type: reason === "ReleasedWithoutEdge" ? "Warning" : "Normal", reason, message });
  }

  /** One that is gone, or another by its uid, is none of ours any more: the cache will say so. */
  #failed(record: KubeObject, uid: string, error: Error): void {
    const { elapsedMs, random } = this.#options;
    const count = (this.#failures.get(uid)?.count ?? 0) + 1;
    this.#failures.set(uid, { count, retryAtMs: elapsedMs() + backoffMs(count, random()) });
    const isGone = error instanceof KubeError && (error.code === 404 || error.code === 409);
    if (!isGone) this.#note(record, error.message);
  }

  #note({ metadata }: KubeObject, trouble: string | undefined): void {
    const about = `${DNS_RECORD.kind} ${refKey(metadata)}`;
    const message = trouble && `The finalizer of ${about} cannot be written, trying again: ${trouble}`;
    this.#noted.note(about, message, `The finalizer of ${about} is written again`);
  }

  #forgetGone(records: readonly KubeObject[]): void {
    const uids = new Set(records.map(({ metadata }) => metadata.uid ?? ""));
    for (const uid of this.#failures.keys()) if (!uids.has(uid)) this.#failures.delete(uid);
    this.#takenUids = this.#takenUids.intersection(uids);
  }
}
