import type { Kind } from "../kubernetes/kinds.ts";
import { type KubeObject, type ObjectRef, refKey } from "../kubernetes/object.ts";
import { type Clock, systemClock } from "../runtime/clock.ts";
import { LogOnChange } from "../runtime/log-on-change.ts";
import { AccumulationWindow, WorkQueue } from "../runtime/workqueue.ts";
import type { Desired } from "./desired.ts";
import { Entries } from "./entries.ts";
import { execute, type Write } from "./execute.ts";
import { type Action, type Entry, failureOfOutcome, nextAction, type WriteFailure } from "./next-action.ts";
import type { ObjectCache, WriterOptions } from "./options.ts";
import { clearTransientHold, recordOutcome, uncontestedAtMs } from "./retry-state.ts";

/** The main part of an object and its status. */
const STEPS_AT_ONCE = 2;
const UNEXPECTED_MS = 60_000;

/**
 * Makes objects as desired. Each object is handled by itself, with one write at a time. One that fails, or that another writer
 * contests, delays no other.
 */
export class ApplyQueue {
  readonly #options: WriterOptions;
  readonly #clock: Clock;
  readonly #log: LogOnChange;
  readonly #entries = new Entries();
  readonly #queue: WorkQueue<string>;
  readonly #window: AccumulationWindow;
  /** Keys of objects that may go once another object is written. */
  readonly #gated = new Set<string>();
  #hasWritten = false;
  /** The object whose write result goes into the cache just now: that is no change by another writer. */
  #updating: Entry | undefined;
  #lastRefreshAtMs = Number.NEGATIVE_INFINITY;
  #stopped = false;

  constructor(options: WriterOptions) {
    const { clock = systemClock, concurrency, windowMs, random, log } = options;
    this.#options = options;
    this.#clock = clock;
    this.#log = new LogOnChange(log);
    this.#window = new AccumulationWindow(windowMs, clock);
    const process = (key: string) => this.#process(key);
    this.#queue = new WorkQueue({ process, concurrency, onIdle: () => this.#addGated(), clock, random });
    this.#queue.start();
  }

  /** Replaces the desired state. */
  want(desired: Desired, refreshTimes: boolean): void {
    this.#entries.want(desired, refreshTimes, this.#options.cacheOf);
    for (const entry of this.#entries.all()) this.#add(entry);
  }

  /** To be called when the cache of an object has changed. */
  changed(kind: Kind, ref: ObjectRef): void {
    const entry = this.#entries.find(kind, ref);
    if (entry !== undefined && entry !== this.#updating) this.#add(entry);
  }

  /** Handles at once what waits, including retries of failed and overtaken writes. Resolves when each was handled once. */
  async hurry(): Promise<void> {
    for (const { key, retry } of this.#entries.all()) {
      clearTransientHold(retry);
      if (this.#queue.has(key)) this.#queue.add(key);
    }
    await this.#queue.until(() => true);
  }

  /** Resolves when nothing is left that can be written now or, after a failure, soon. */
  flushed(): Promise<void> {
    return this.#queue.until(
      () => !this.#entries.all().some(({ key, isAwaited }) => isAwaited && this.#queue.has(key)),
    );
  }

  failures(): WriteFailure[] {
    return [...this.#entries.all()].flatMap(({ failure, contention }) => failure ?? contention ?? []);
  }

  /** Starts no further write. Resolves when the writes in flight have ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#queue.shutDown();
  }

  #add(entry: Entry): void {
    entry.isAwaited = true;
    this.#queue.addAfter(entry.key, this.#window.delayMs);
  }

  #addGated(): void {
    if (!this.#hasWritten) return;
    this.#hasWritten = false;
    for (const key of this.#gated) this.#queue.add(key);
  }

  /** Returns the delay after which the object is to be handled again, in milliseconds. */
  async #process(key: string): Promise<number | undefined> {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    try {
      return await this.#makeAsDesired(entry);
    } catch (error) {
      // Not an answer of the API server: a fault of this program.
      const { kind, ref } = entry;
      const { message } = error as Error;
      this.#report(entry, { kind, ref, reason: "Unavailable", message, isRetryable: true });
      return UNEXPECTED_MS;
    }
  }

  async #makeAsDesired(entry: Entry): Promise<number | undefined> {
    for (let steps = 0; !this.#stopped; steps += 1) {
      // What has changed during the writes waits for the window.
      if (steps >= STEPS_AT_ONCE && this.#queue.has(entry.key)) return undefined;
      const action = this.#next(entry);
      if (action.type !== "Write") return this.#settle(entry, action);
      await this.#write(entry, action.step);
    }
    return undefined;
  }

  #next(entry: Entry): Action {
    const { cacheOf, isSynced, mayWrite = () => true, random } = this.#options;
    entry.isAwaited = false;
    entry.contention = undefined;
    this.#gated.delete(entry.key);
    return nextAction(entry, {
      cacheOf,
      isSynced,
      mayWrite,
      scopes: this.#entries.scopes,
      publishersOf: (name) => this.#entries.publishersOf(name),
      nowMs: this.#clock.elapsedMs(),
      random,
      nextRefreshAtMs: () => this.#nextRefreshAt(),
    });
  }

  #nextRefreshAt(): number {
    const { refreshesPerSecond } = this.#options;
    this.#lastRefreshAtMs = Math.max(this.#clock.elapsedMs(), this.#lastRefreshAtMs + 1000 / refreshesPerSecond);
    return this.#lastRefreshAtMs;
  }

  #settle(entry: Entry, action: Exclude<Action, { type: "Write" }>): number | undefined {
    const nowMs = this.#clock.elapsedMs();
    this.#report(entry, action.failure);
    if (action.type === "Settled") {
      entry.refresh = undefined;
      if (entry.wanted === undefined && uncontestedAtMs(entry.retry) <= nowMs) this.#entries.forget(entry);
      return undefined;
    }
    entry.isAwaited = action.isAwaited;
    entry.contention = action.contention;
    if (action.isGated) this.#gated.add(entry.key);
    return Math.max(1, action.untilMs - nowMs);
  }

  /** Logs a failure once, and once that it is over. */
  #report(entry: Entry, failure: WriteFailure | undefined): void {
    const about = `${entry.kind.kind} ${refKey(entry.ref)}`;
    const isChanged = failure?.message !== entry.failure?.message;
    entry.failure = failure;
    if (isChanged) this.#options.onFailureChange(entry.kind);
    this.#log.note(
      about,
      failure && `${about} is not as it should be: ${failure.message}`,
      `${about} is as it should be again`,
    );
  }

  async #write(entry: Entry, step: Write): Promise<void> {
    const { kind, ref, retry } = entry;
    const { client, cacheOf, random } = this.#options;
    const cache = cacheOf(kind);
    this.#hasWritten = true;
    if (this.#window.delayMs === 0) this.#window.begin();
    const version = cache.get(ref)?.metadata.resourceVersion ?? "";
    const outcome = await execute(step, { client, cache: this.#cacheFor(entry, cache), kind, ref });
    recordOutcome(retry, step, outcome, { version, nowMs: this.#clock.elapsedMs(), random: random() });
    if (outcome.type === "Done") entry.refresh = undefined;
    else this.#report(entry, failureOfOutcome(entry, outcome));
  }

  #cacheFor(entry: Entry, cache: ObjectCache): Pick<ObjectCache, "put"> {
    return {
      put: (object: KubeObject) => {
        this.#updating = entry;
        cache.put(object);
        this.#updating = undefined;
      },
    };
  }
}
