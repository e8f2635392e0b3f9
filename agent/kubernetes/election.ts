import type { Log } from "../runtime/log.ts";
import { LogOnChange } from "../runtime/log-on-change.ts";
import { sleep } from "./abort.ts";
import type { KubeClient } from "./client.ts";
import { KubeError } from "./errors.ts";
import { LEASE } from "./kinds.ts";
import {
  acquiredLease,
  type Candidate,
  holderIdentity,
  type ObservedLease,
  observe,
  releasedLease,
  remainingMs,
} from "./lease.ts";
import type { KubeObject } from "./object.ts";

const POLL_MS = 1_000;
/** This part of the Lease's duration is not used, to allow for clock drift and for work that is ending. */
const MARGIN = 0.2;
const RELEASE_ATTEMPTS = 3;

export interface ElectionOptions extends Candidate {
  client: Pick<KubeClient, "get" | "create" | "replace">;
  /** How often the leader renews, in milliseconds; less than half of `leaseMs`. */
  renewMs: number;
  /** How often followers read the Lease, in milliseconds. Default: 1 s. */
  pollMs?: number;
  onLeader: () => void;
  /** Called before another replica can have won. Running work must check `isLeader` before each write. */
  onLost: () => void;
  log: Log;
  /** Unix ms, for people who read the Lease. */
  now: () => number;
  /** A monotonic clock in milliseconds. The election uses no other. */
  elapsedMs: () => number;
  random: () => number;
}

/**
 * Leader election by a Lease, with client-go's rules. Another holder's Lease has expired if it did not change for its
 * whole duration, by the own clock. The leader's time counts from the sending of its last successful renewal. Every
 * write is guarded by resourceVersion. `identity` must differ between any two processes that can be alive at the same
 * time. If a person deletes the Lease of a leader, there can be two leaders until the first one renews. Until then a
 * new replica does not know the first one.
 */
export class Election {
  readonly #options: ElectionOptions & { pollMs: number };
  readonly #noted: LogOnChange;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #seen: ObservedLease | undefined;
  #leadsUntil: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isTroubled = false;
  /** A write of ours may have succeeded although no answer confirmed it. */
  #mayHold = false;

  constructor(options: ElectionOptions) {
    this.#options = { pollMs: POLL_MS, ...options };
    this.#noted = new LogOnChange(options.log);
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /**
   * Stops leading and releases the Lease, so that another replica can lead at once. Call it when the work has ended.
   */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#lose();
    await this.#running;
    if (this.#mayHold) await this.#release().catch((error: Error) => this.#note(error));
    this.#mayHold = false;
  }

  /** It checks the clock too, so that a process which was suspended never believes that it still leads. */
  get isLeader(): boolean {
    return this.#leadsUntil !== undefined && this.#options.elapsedMs() < this.#leadsUntil;
  }

  /** The leader as far as this replica knows, with the annotations of the Lease. */
  get leader(): { identity: string; annotations: Readonly<Record<string, string>> } | undefined {
    if (this.#seen === undefined) return undefined;
    const { leaseMs, elapsedMs } = this.#options;
    const identity = holderIdentity(this.#seen.lease);
    if (identity === undefined || remainingMs(this.#seen, leaseMs, elapsedMs()) <= 0) return undefined;
    return { identity, annotations: this.#seen.lease.metadata.annotations ?? {} };
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        await this.#turn();
        this.#note(undefined);
      } catch (error) {
        this.#note(error as Error);
      }
      await sleep(this.#waitMs(), this.#stopping.signal);
    }
  }

  #waitMs(): number {
    const { renewMs, pollMs, random, leaseMs, elapsedMs } = this.#options;
    if (this.isLeader && !this.#isTroubled) return renewMs;
    const looseMs = pollMs * (0.75 + random() / 2);
    const overInMs = this.#seen ? remainingMs(this.#seen, leaseMs, elapsedMs()) : 0;
    return overInMs > 0 ? Math.min(looseMs, overInMs) : looseMs;
  }

  /**
   * The leader renews the Lease that it wrote last. Followers, and a leader whose renewal is refused, read it first.
   */
  async #turn(): Promise<void> {
    if (this.isLeader && this.#seen) {
      try {
        return await this.#take(this.#seen.lease);
      } catch (error) {
        if (!(error instanceof KubeError && (error.code === 409 || error.code === 404))) throw error;
      }
    }
    const lease = await this.#look();
    if (!this.#stopping.signal.aborted && this.#mayTake(lease)) await this.#take(lease);
  }

  async #look(): Promise<KubeObject | undefined> {
    const { client, name, namespace, elapsedMs, renewMs } = this.#options;
    const lease = await client.get(LEASE, { name, namespace }, { deadlineMs: renewMs });
    if (lease) {
      this.#seen = observe(this.#seen, lease, elapsedMs());
      this.#mayHold = holderIdentity(lease) === this.#options.identity;
      if (!this.#mayHold) this.#lose();
    }
    return lease;
  }

  /**
   * A deleted Lease still belongs to its last holder until it expires, since the holder does not know of the deletion.
   */
  #mayTake(lease: KubeObject | undefined): boolean {
    const { identity, leaseMs, elapsedMs } = this.#options;
    const last = lease ?? this.#seen?.lease;
    if (last === undefined || this.#seen === undefined || holderIdentity(last) === identity) return true;
    return remainingMs(this.#seen, leaseMs, elapsedMs()) <= 0;
  }

  async #take(lease: KubeObject | undefined): Promise<void> {
    const { client, now, elapsedMs, leaseMs, renewMs } = this.#options;
    const wanted = acquiredLease(this.#options, lease, now());
    const sentAt = elapsedMs();
    this.#mayHold = true;
    const options = { deadlineMs: renewMs };
    const written = await (lease ? client.replace(LEASE, wanted, options) : client.create(LEASE, wanted, options));
    this.#seen = { lease: written, at: elapsedMs() };
    this.#lead(sentAt + leaseMs * (1 - MARGIN));
  }

  #lead(until: number): void {
    const leftMs = until - this.#options.elapsedMs();
    if (leftMs <= 0 || this.#stopping.signal.aborted) return;
    const isNew = this.#leadsUntil === undefined;
    this.#leadsUntil = until;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#lose(), leftMs);
    if (!isNew) return;
    this.#options.log("info", `${this.#options.identity} leads`);
    this.#options.onLeader();
  }

  #lose(): void {
    clearTimeout(this.#timer);
    if (this.#leadsUntil === undefined) return;
    this.#leadsUntil = undefined;
    this.#options.log("info", `${this.#options.identity} leads no more`);
    this.#options.onLost();
  }

  async #release(): Promise<void> {
    const { client, now, identity, renewMs } = this.#options;
    for (let attempt = 1; ; attempt++) {
      const lease = await this.#look();
      if (!lease || holderIdentity(lease) !== identity) return;
      try {
        await client.replace(LEASE, releasedLease(lease, now()), { deadlineMs: renewMs });
        return;
      } catch (error) {
        if (!(error instanceof KubeError && error.code === 409) || attempt === RELEASE_ATTEMPTS) throw error;
      }
    }
  }

  #note(error: Error | undefined): void {
    const { name, namespace } = this.#options;
    this.#isTroubled = error !== undefined;
    const message = error && `The election cannot use its Lease ${namespace}/${name}: ${error.message}`;
    this.#noted.note("lease", message, "The election can use its Lease again");
  }
}
