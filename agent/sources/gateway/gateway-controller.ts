import { nextSendAt } from "../../../shared/accumulator.ts";
import type { KubeObject } from "../../kubernetes/object.ts";
import type { Log } from "../../runtime/log.ts";
import { LogOnChange } from "../../runtime/log-on-change.ts";
import { planChanges } from "./plan.ts";
import { WriteBackoff } from "./write-backoff.ts";
import { type GatewayPort, planWrites, type Write } from "./writes.ts";

const WRITES_AT_ONCE = 8;
const UNEXPECTED_MS = 60_000;
const LOOK_MS = 1_000;

/** An informer, as far as it matters here. */
export interface WatchedKind {
  readonly isSynced: boolean;
  /** The cluster does not know the kind. */
  readonly isUnknown: boolean;
  list(): readonly KubeObject[];
}

export interface GatewayControllerOptions {
  gateways: WatchedKind;
  policies: WatchedKind;
  records: WatchedKind;
  port: GatewayPort;
  /** How long changes gather, in milliseconds. */
  windowMs: number;
  log: Log;
  /** Unix ms */
  now: () => number;
  /** A clock that only goes forward, in milliseconds. */
  elapsedMs: () => number;
  random: () => number;
}

/**
 * Keeps the DNSRecords that are made from Gateways, and the statuses of their policies, as they should be. Each pass looks at
 * everything as it is and writes only what differs; one is under way at most, and a change during it brings about another.
 * It writes nothing before all kinds have been read.
 */
export class GatewayController {
  readonly #options: GatewayControllerOptions;
  readonly #attempts: WriteBackoff;
  readonly #noted: LogOnChange;
  #phase: "Waiting" | "Started" | "Stopped" = "Waiting";
  #gathered: { lastSentAt?: number; dirtySince?: number } = {};
  /** When a write that has to wait may be tried again. */
  #retryAt = Number.POSITIVE_INFINITY;
  /** Which kinds the cluster did not know at the last pass. */
  #unknown = "";
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;

  constructor(options: GatewayControllerOptions) {
    this.#options = options;
    this.#attempts = new WriteBackoff(options.elapsedMs, options.random);
    this.#noted = new LogOnChange(options.log);
  }

  start(): void {
    if (this.#phase !== "Waiting") return;
    this.#phase = "Started";
    this.changed();
  }

  /** An object of the three kinds has changed. */
  changed(): void {
    this.#gathered.dirtySince ??= this.#options.elapsedMs();
    this.#arm();
  }

  /** Begins nothing more. Resolves when what is under way has ended. */
  async stop(): Promise<void> {
    this.#phase = "Stopped";
    clearTimeout(this.#timer);
    await this.#running;
  }

  get #isReady(): boolean {
    const { gateways, policies, records } = this.#options;
    return gateways.isSynced && policies.isSynced && records.isSynced;
  }

  /** When there is something to do; infinite where there is not. */
  get #dueAt(): number {
    return Math.min(this.#retryAt, nextSendAt(this.#gathered, this.#options.windowMs) ?? Number.POSITIVE_INFINITY);
  }

  #arm(): void {
    clearTimeout(this.#timer);
    if (this.#phase !== "Started" || this.#running !== undefined) return;
    const dueInMs = this.#isReady ? Math.max(0, this.#dueAt - this.#options.elapsedMs()) : LOOK_MS;
    this.#timer = setTimeout(() => this.#look(), Math.min(LOOK_MS, dueInMs));
  }

  /** Nobody tells that a kind has been read, or has become known, where there is no object of it. */
  #look(): void {
    const { gateways, policies, elapsedMs } = this.#options;
    const unknown = `${gateways.isUnknown} ${policies.isUnknown}`;
    if (unknown !== this.#unknown) this.#gathered.dirtySince ??= elapsedMs();
    if (!this.#isReady || this.#dueAt > elapsedMs()) {
      this.#arm();
      return;
    }
    this.#unknown = unknown;
    this.#run();
  }

  #run(): void {
    this.#running = this.#pass()
      .catch((error: Error) => this.#failed(error))
      .finally(() => {
        this.#running = undefined;
        this.#arm();
      });
  }

  /** An error that is no answer of the API: ours. */
  #failed({ message }: Error): void {
    this.#noted.note("pass", `Unexpected, in the records of Gateways: ${message}`);
    this.#retryAt = this.#options.elapsedMs() + UNEXPECTED_MS;
  }

  async #pass(): Promise<void> {
    const { gateways, policies, records, now, elapsedMs } = this.#options;
    this.#gathered = { lastSentAt: elapsedMs() };
    this.#retryAt = Number.POSITIVE_INFINITY;
    const known = (kind: WatchedKind) => (kind.isUnknown ? undefined : kind.list());
    const world = { gateways: known(gateways), policies: known(policies), records: records.list() };
    const { first, last } = planWrites(planChanges(world, now()));
    const undone = new Set((await this.#write(first)).flatMap(({ host }) => host ?? []));
    await this.#delete(last.filter(({ host }) => host === undefined || !undone.has(host)));
    this.#noted.note("pass", undefined, "The records of Gateways are looked after again");
  }

  /**
   * Deletes what is to be deleted also by what the API server says now. The informers may be behind: another replica, which led
   * until just now, may have made a record for a Gateway that this one has not seen yet.
   */
  async #delete(writes: readonly Write[]): Promise<void> {
    const { port, records, now } = this.#options;
    if (writes.length === 0) return;
    const isStill = new Set<string>();
    const readAnew = async () => {
      const world = { ...(await port.readAnew()), records: records.list() };
      for (const { content } of planWrites(planChanges(world, now())).last) isStill.add(content);
    };
    const failure = "Records that seem to be left over stay, for Gateways and policies could not be read anew";
    const content = writes.map((write) => write.content).join();
    if (!(await this.#attempt({ key: "list of Gateways and policies", content, failure, run: readAnew }))) return;
    await this.#write(writes.filter((write) => isStill.has(write.content)));
  }

  /** Writes what may be written now, some at a time. Returns what is not done. */
  async #write(writes: readonly Write[]): Promise<Write[]> {
    const undone: Write[] = [];
    const queue = [...writes];
    const work = async () => {
      for (let write = queue.shift(); write !== undefined; write = queue.shift()) {
        if (!(await this.#attempt(write))) undone.push(write);
      }
    };
    await Promise.all(Array.from({ length: WRITES_AT_ONCE }, work));
    return undone;
  }

  /** Whether it is done. Where it is not, when to look again is noted. */
  async #attempt({ key, content, failure, run }: Write): Promise<boolean> {
    const { elapsedMs, port } = this.#options;
    if (this.#phase === "Stopped") return false;
    if (this.#attempts.dueAt(key, content) <= elapsedMs()) {
      this.#attempts.record(key, content);
      try {
        await run(port);
        this.#noted.note(key, undefined, `The ${key} is as it should be again`);
        return true;
      } catch (error) {
        this.#noted.note(key, `${failure}: ${(error as Error).message}`);
      }
    }
    this.#retryAt = Math.min(this.#retryAt, this.#attempts.dueAt(key, content));
    return false;
  }
}
