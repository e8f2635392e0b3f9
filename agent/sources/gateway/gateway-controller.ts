import type { KubeObject } from "../../kubernetes/object.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Log } from "../../runtime/log.ts";
import { LogOnChange } from "../../runtime/log-on-change.ts";
import { AccumulationWindow, WorkQueue } from "../../runtime/workqueue.ts";
import { planChanges } from "./plan.ts";
import { WriteBackoff } from "./write-backoff.ts";
import { type GatewayPort, planWrites, type Write } from "./writes.ts";

const CONCURRENT_WRITES = 8;
const UNEXPECTED_RETRY_MS = 60_000;
/** All objects are reconciled together, so the queue has one key. */
const ALL = "all";

/** The part of an informer that the controller uses. */
export interface WatchedKind {
  readonly isSynced: boolean;
  /** Whether the cluster does not serve the kind. */
  readonly isUnknown: boolean;
  list(): readonly KubeObject[];
}

export interface GatewayControllerOptions {
  gateways: WatchedKind;
  policies: WatchedKind;
  records: WatchedKind;
  port: GatewayPort;
  /** How long changes accumulate, in milliseconds. */
  windowMs: number;
  log: Log;
  clock: Clock;
  random: () => number;
}

/**
 * Reconciles the DNSRecords that are made from Gateways and the statuses of their policies. Each pass reads everything
 * and writes only what differs. At most one pass runs at a time; a change during a pass causes another. Nothing is
 * written until all kinds are synced.
 */
export class GatewayController {
  readonly #options: GatewayControllerOptions;
  readonly #backoff: WriteBackoff;
  readonly #logged: LogOnChange;
  readonly #window: AccumulationWindow;
  readonly #queue: WorkQueue<typeof ALL>;
  #isStopped = false;
  /** When the earliest postponed write may be tried again. */
  #retryAtMs = Number.POSITIVE_INFINITY;

  constructor(options: GatewayControllerOptions) {
    const { clock, log, random, windowMs } = options;
    this.#options = options;
    this.#backoff = new WriteBackoff(clock.elapsedMs, random);
    this.#logged = new LogOnChange(log);
    this.#window = new AccumulationWindow(windowMs, clock);
    this.#queue = new WorkQueue({ process: () => this.#process(), clock });
  }

  start(): void {
    this.#queue.start();
    this.changed();
  }

  /**
   * Call it when an object of the three kinds has changed, or when a kind was synced, became known or became unknown.
   */
  changed(): void {
    this.#queue.addAfter(ALL, this.#window.delayMs);
  }

  /** Starts no further pass or write. Resolves when running writes have ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#queue.shutDown();
  }

  get #isReady(): boolean {
    const { gateways, policies, records } = this.#options;
    return gateways.isSynced && policies.isSynced && records.isSynced;
  }

  /** Returns the delay until the next pass, in milliseconds, if a write was postponed. */
  async #process(): Promise<number | undefined> {
    if (!this.#isReady) return undefined;
    this.#window.begin();
    this.#retryAtMs = Number.POSITIVE_INFINITY;
    try {
      await this.#pass();
    } catch (error) {
      // No API error: those are handled for each write.
      this.#logged.note("pass", `Unexpected error in the records of Gateways: ${(error as Error).message}`);
      return UNEXPECTED_RETRY_MS;
    }
    const delayMs = this.#retryAtMs - this.#options.clock.elapsedMs();
    return Number.isFinite(delayMs) ? delayMs : undefined;
  }

  async #pass(): Promise<void> {
    const { gateways, policies, records, clock } = this.#options;
    const known = (kind: WatchedKind) => (kind.isUnknown ? undefined : kind.list());
    const state = { gateways: known(gateways), policies: known(policies), records: records.list() };
    const { first, last } = planWrites(planChanges(state, clock.now()));
    const undone = new Set((await this.#write(first)).flatMap(({ host }) => host ?? []));
    await this.#delete(last.filter(({ host }) => host === undefined || !undone.has(host)));
    this.#logged.note("pass", undefined, "The records of Gateways are reconciled again");
  }

  /**
   * Deletes only what is also to be deleted according to the API server now. The informers may be behind: the former
   * leader may have made a record for a Gateway that this replica has not seen yet.
   */
  async #delete(writes: readonly Write[]): Promise<void> {
    const { port, records, clock } = this.#options;
    if (writes.length === 0) return;
    const confirmed = new Set<string>();
    const readAnew = async () => {
      const state = { ...(await port.readAnew()), records: records.list() };
      for (const { content } of planWrites(planChanges(state, clock.now())).last) confirmed.add(content);
    };
    const failure = "Records that seem to be left over stay, because Gateways and policies cannot be read anew";
    const content = writes.map((write) => write.content).join();
    if (!(await this.#attempt({ key: "list of Gateways and policies", content, failure, run: readAnew }))) return;
    await this.#write(writes.filter((write) => confirmed.has(write.content)));
  }

  /** Does the writes that are due, several at a time. Returns those that are not done. */
  async #write(writes: readonly Write[]): Promise<Write[]> {
    const undone: Write[] = [];
    const pending = [...writes];
    const work = async () => {
      for (let write = pending.shift(); write !== undefined; write = pending.shift()) {
        if (!(await this.#attempt(write))) undone.push(write);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENT_WRITES }, work));
    return undone;
  }

  /** Returns whether the write is done. If not, it notes when to try again. */
  async #attempt({ key, content, failure, run }: Write): Promise<boolean> {
    const { clock, port } = this.#options;
    if (this.#isStopped) return false;
    if (this.#backoff.dueAt(key, content) <= clock.elapsedMs()) {
      this.#backoff.record(key, content);
      try {
        await run(port);
        this.#logged.note(key, undefined, `The ${key} is as it should be again`);
        return true;
      } catch (error) {
        this.#logged.note(key, `${failure}: ${(error as Error).message}`);
      }
    }
    this.#retryAtMs = Math.min(this.#retryAtMs, this.#backoff.dueAt(key, content));
    return false;
  }
}
