import type { Condition } from "../../shared/model/condition.ts";
import { KubeError } from "../kubernetes/errors.ts";
import { DNS_RECORD } from "../kubernetes/kinds.ts";
import { type KubeObject, type ObjectRef, refKey } from "../kubernetes/object.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import { LogOnChange } from "../runtime/log-on-change.ts";
import { WorkQueue } from "../runtime/workqueue.ts";
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

/** Changes within this time are handled by one scan. */
const SCAN_DELAY_MS = 20;
/** The watch reports within this time that a released record is gone. */
const RELEASE_SEEN_MS = 10_000;
/** The key of the queue under which all records are scanned; the other keys are uids. */
const SCAN = "scan";

type Release = Extract<Phase, { type: "Release" }>;

interface RecordCache {
  list(): readonly KubeObject[];
  get(ref: ObjectRef): KubeObject | undefined;
  put(object: KubeObject): void;
}

export interface FinalizerControllerOptions {
  client: FinalizerClient;
  records: RecordCache;
  apiClock: ApiServerClock;
  deletionTimeoutMs: number;
  /** Number of records whose finalizers are written at the same time. */
  concurrency: number;
  isEdgeReachable: () => boolean;
  /** Whether the record's root host is in DNS, through this record or another. */
  isServed: (record: KubeObject) => boolean;
  /** Whether a DNSEndpoint that the record owns still exists. */
  isInDns: (record: KubeObject) => boolean;
  onEvent: (record: KubeObject, event: { type: "Normal" | "Warning"; reason: string; message: string }) => void;
  log: Log;
  clock: Clock;
  random: () => number;
}

/**
 * Sets a finalizer on each record before it is first pushed, and removes it once the edge no longer holds the record. So a deleted record
 * is withdrawn before it is gone. The controller works from the objects alone, and so resumes after a restart.
 */
export class FinalizerController {
  readonly #options: FinalizerControllerOptions;
  readonly #logged: LogOnChange;
  readonly #queue: WorkQueue<string>;
  readonly #refs = new Map<string, ObjectRef>();
  #acceptedUids = new Set<string>();
  #accepted: ReadonlySet<string> | undefined;
  #delivered: ReadonlySet<string> | undefined;

  constructor(options: FinalizerControllerOptions) {
    const { clock, concurrency, log, random } = options;
    this.#options = options;
    this.#logged = new LogOnChange(log);
    this.#queue = new WorkQueue({
      process: async (key) => (key === SCAN ? this.#scan() : this.#process(key)),
      onError: (uid, error) => this.#failed(uid, error),
      concurrency,
      clock,
      random,
    });
    this.#queue.start();
  }

  /**
   * Whether the record is to be pushed and published. A record whose host is in DNS is a member at once. It may take
   * over from a record that is being deleted at that moment. Until its finalizer was read back, the host would have no
   * record.
   */
  isMember(record: KubeObject): boolean {
    if (isMember(record, this.#wasAccepted(record))) return true;
    return record.metadata.deletionTimestamp === undefined && this.#options.isServed(record);
  }

  /** The condition `Withdrawn` of a record that is being deleted and waits for the edge. */
  conditionOf(record: KubeObject): Condition | undefined {
    const phase = this.#phaseOf(record);
    return phase.type === "Withdrawing" ? phase.condition : undefined;
  }

  /** Call it when a record, a DNSEndpoint or the contact with the edge has changed. */
  changed(): void {
    this.#queue.addAfter(SCAN, SCAN_DELAY_MS);
  }

  /**
   * Call it when the edge is known to hold other records.
   *
   * @param accepted the records of the newest snapshot that the edge accepted, by `namespace/name`
   * @param delivered this cluster's records that the newest delivery names; undefined before the first delivery
   */
  edgeStateChanged(accepted: ReadonlySet<string> | undefined, delivered: ReadonlySet<string> | undefined): void {
    this.#accepted = accepted ?? this.#accepted;
    this.#delivered = delivered ?? this.#delivered;
    for (const { metadata } of this.#options.records.list())
      if (accepted?.has(refKey(metadata)) && metadata.uid !== undefined) this.#acceptedUids.add(metadata.uid);
    this.changed();
  }

  /** Starts no further write. Resolves when running writes have ended. */
  stop(): Promise<void> {
    return this.#queue.shutDown();
  }

  #wasAccepted({ metadata }: KubeObject): boolean {
    return this.#acceptedUids.has(metadata.uid ?? "");
  }

  #phaseOf(record: KubeObject): Phase {
    const { apiClock, deletionTimeoutMs, isEdgeReachable, isInDns } = this.#options;
    apiClock.observe(record);
    return phaseOf(record, {
      accepted: this.#accepted,
      delivered: this.#delivered,
      isEdgeReachable: isEdgeReachable(),
      wasAccepted: this.#wasAccepted(record),
      isInDns: record.metadata.deletionTimestamp !== undefined && isInDns(record),
      apiNowMs: apiClock.nowMs(),
      deletionTimeoutMs,
    } satisfies FinalizerContext);
  }

  /** Queues the records whose finalizer has to be written. Returns the delay until the next deletion timeout. */
  #scan(): number | undefined {
    const records = this.#options.records.list();
    this.#forgetGone(records);
    let nextMs = Number.POSITIVE_INFINITY;
    for (const record of records) {
      const phase = this.#phaseOf(record);
      const { uid = "" } = record.metadata;
      if (phase.type === "Withdrawing") nextMs = Math.min(nextMs, phase.leftMs);
      if (phase.type !== "Claim" && phase.type !== "Release") continue;
      this.#refs.set(uid, record.metadata);
      // A waiting key keeps its back-off.
      if (!this.#queue.has(uid) && !this.#queue.isProcessing(uid)) this.#queue.add(uid);
    }
    return Number.isFinite(nextMs) ? nextMs : undefined;
  }

  #recordOf(uid: string): KubeObject | undefined {
    const ref = this.#refs.get(uid);
    const record = ref && this.#options.records.get(ref);
    return record?.metadata.uid === uid ? record : undefined;
  }

  async #process(uid: string): Promise<number | undefined> {
    const record = this.#recordOf(uid);
    const phase = record && this.#phaseOf(record);
    if (record === undefined || (phase?.type !== "Claim" && phase?.type !== "Release")) return undefined;
    if (phase.type === "Claim") this.#options.records.put(await addFinalizer(this.#options.client, record));
    else await this.#release(record, phase);
    this.#queue.forget(uid);
    this.#log(record, undefined);
    this.changed();
    return phase.type === "Release" ? RELEASE_SEEN_MS : undefined;
  }

  /** The answer of the API server is not cached: the object is gone then, and only the watch may report that. */
  async #release(record: KubeObject, { reason, message }: Release): Promise<void> {
    await removeFinalizer(this.#options.client, record);
    this.#options.onEvent(record, { type: reason === "ReleasedWithoutEdge" ? "Warning" : "Normal", reason, message });
  }

  /** A record that is gone, or has another uid, is no error: the cache will follow. */
  #failed(uid: string, error: Error): void {
    const record = this.#recordOf(uid);
    const isGone = error instanceof KubeError && (error.code === 404 || error.code === 409);
    if (record !== undefined && !isGone) this.#log(record, error.message);
    this.changed();
  }

  #log({ metadata }: KubeObject, error: string | undefined): void {
    const subject = `${DNS_RECORD.kind} ${refKey(metadata)}`;
    const message = error && `The finalizer of ${subject} cannot be written, trying again: ${error}`;
    this.#logged.note(subject, message, `The finalizer of ${subject} is written again`);
  }

  #forgetGone(records: readonly KubeObject[]): void {
    const uids = new Set(records.map(({ metadata }) => metadata.uid ?? ""));
    for (const uid of this.#refs.keys()) {
      if (uids.has(uid)) continue;
      this.#refs.delete(uid);
      this.#queue.forget(uid);
    }
    this.#acceptedUids = this.#acceptedUids.intersection(uids);
  }
}
