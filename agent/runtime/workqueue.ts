import { backoffMs } from "./backoff.ts";
import { type Clock, systemClock } from "./clock.ts";

export interface WorkQueueOptions<Key> {
  /**
   * Processes one key. It may return a delay in milliseconds after which the key is processed again. If it throws, the key is
   * added again with back-off.
   */
  process: (key: Key) => Promise<number | undefined>;
  /** Keys that are processed at the same time. Default: 1. */
  concurrency?: number;
  onError?: (key: Key, error: Error) => void;
  /** Called when no key is ready or being processed. Delayed keys may remain. */
  onIdle?: () => void;
  clock?: Clock;
  /** From 0 (included) to 1 (excluded). */
  random?: () => number;
}

/**
 * A work queue in the shape of client-go's. A key is in it at most once, and is never processed twice at the same time. A key that
 * is added while it is processed is processed again afterwards. Of several due times the earliest counts.
 */
export class WorkQueue<Key> {
  readonly #options: WorkQueueOptions<Key>;
  readonly #clock: Clock;
  /** In the order in which they are processed. */
  readonly #ready = new Set<Key>();
  readonly #delayed = new Map<Key, number>();
  readonly #processing = new Set<Key>();
  readonly #requeues = new Map<Key, number>();
  readonly #waiters = new Set<{ isMet: () => boolean; resolve: () => void }>();
  #timer: { cancel: () => void; atMs: number } | undefined;
  #phase: "Waiting" | "Started" | "ShutDown" = "Waiting";
  #isPumpDue = false;

  constructor(options: WorkQueueOptions<Key>) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Starts to process keys. Keys that were added before are kept until then. */
  start(): void {
    if (this.#phase !== "Waiting") return;
    this.#phase = "Started";
    this.#pumpSoon();
    this.#armTimer();
  }

  get isStarted(): boolean {
    return this.#phase !== "Waiting";
  }

  /** Processes the key as soon as a worker is free, but never within this call. */
  add(key: Key): void {
    if (this.#phase === "ShutDown") return;
    this.#delayed.delete(key);
    this.#ready.add(key);
    this.#pumpSoon();
  }

  /** Adds the key after a delay in milliseconds, unless it is due earlier. */
  addAfter(key: Key, delayMs: number): void {
    if (this.#phase === "ShutDown" || this.#ready.has(key)) return;
    if (delayMs <= 0) {
      this.add(key);
      return;
    }
    const atMs = Math.min(this.#delayed.get(key) ?? Number.POSITIVE_INFINITY, this.#clock.elapsedMs() + delayMs);
    this.#delayed.set(key, atMs);
    this.#armTimer(atMs);
  }

  /** Adds the key after a delay that doubles with each call, from one second to a minute, until `forget` is called. */
  addRateLimited(key: Key): void {
    const requeues = this.numRequeues(key) + 1;
    this.#requeues.set(key, requeues);
    this.addAfter(key, backoffMs(requeues, (this.#options.random ?? Math.random)()));
  }

  /** Ends the back-off of the key: its next failure counts as the first. */
  forget(key: Key): void {
    this.#requeues.delete(key);
  }

  /** How often the key was added with back-off since it was last forgotten. */
  numRequeues(key: Key): number {
    return this.#requeues.get(key) ?? 0;
  }

  /** Whether the key waits for a worker or for its time. */
  has(key: Key): boolean {
    return this.#ready.has(key) || this.#delayed.has(key);
  }

  isProcessing(key: Key): boolean {
    return this.#processing.has(key);
  }

  /** Resolves when the queue is idle and the condition is met, or when the queue is shut down. */
  until(isMet: () => boolean): Promise<void> {
    if (this.#isIdle && (this.#phase === "ShutDown" || isMet())) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiters.add({ isMet, resolve });
    return promise;
  }

  /** Drops all keys and accepts no more. Resolves when the keys that are being processed are done. */
  shutDown(): Promise<void> {
    this.#phase = "ShutDown";
    this.#timer?.cancel();
    this.#ready.clear();
    this.#delayed.clear();
    const done = this.until(() => true);
    this.#pump();
    return done;
  }

  get #isIdle(): boolean {
    return this.#ready.size === 0 && this.#processing.size === 0;
  }

  #armTimer(atMs = this.#nextDueAtMs()): void {
    if (this.#phase !== "Started" || atMs === Number.POSITIVE_INFINITY) return;
    if (this.#timer !== undefined && this.#timer.atMs <= atMs) return;
    this.#timer?.cancel();
    const cancel = this.#clock.setTimer(() => this.#addDue(), Math.max(0, atMs - this.#clock.elapsedMs()));
    this.#timer = { cancel, atMs };
  }

  #nextDueAtMs(): number {
    let nextMs = Number.POSITIVE_INFINITY;
    for (const atMs of this.#delayed.values()) nextMs = Math.min(nextMs, atMs);
    return nextMs;
  }

  #addDue(): void {
    const nowMs = this.#clock.elapsedMs();
    this.#timer = undefined;
    for (const [key, atMs] of this.#delayed) if (atMs <= nowMs) this.add(key);
    this.#armTimer();
  }

  #pumpSoon(): void {
    if (this.#isPumpDue || this.#phase !== "Started") return;
    this.#isPumpDue = true;
    queueMicrotask(() => {
      this.#isPumpDue = false;
      this.#pump();
    });
  }

  #pump(): void {
    const { concurrency = 1, onIdle } = this.#options;
    for (const key of this.#ready) {
      if (this.#processing.size >= concurrency) return;
      if (!this.#processing.has(key)) void this.#run(key);
    }
    if (!this.#isIdle) return;
    onIdle?.();
    this.#resolveWaiters();
  }

  #resolveWaiters(): void {
    for (const waiter of this.#waiters) {
      if (!this.#isIdle || !(this.#phase === "ShutDown" || waiter.isMet())) continue;
      this.#waiters.delete(waiter);
      waiter.resolve();
    }
  }

  async #run(key: Key): Promise<void> {
    this.#ready.delete(key);
    this.#processing.add(key);
    try {
      const againMs = await this.#options.process(key);
      if (againMs !== undefined) this.addAfter(key, againMs);
    } catch (error) {
      this.addRateLimited(key);
      this.#options.onError?.(key, error as Error);
    }
    this.#processing.delete(key);
    this.#pump();
  }
}

/**
 * Coalesces changes that come close together (docs/design/cluster.md, accumulator). The first is due at once. Changes
 * within a window after a batch are due together at the end of the window.
 */
export class AccumulationWindow {
  readonly #windowMs: number;
  readonly #clock: Clock;
  #endsAt = Number.NEGATIVE_INFINITY;

  constructor(windowMs: number, clock: Clock = systemClock) {
    this.#windowMs = windowMs;
    this.#clock = clock;
  }

  /** When a change that comes now is due, in milliseconds from now. */
  get delayMs(): number {
    return Math.max(0, this.#endsAt - this.#clock.elapsedMs());
  }

  /** A batch leaves now. */
  begin(): void {
    this.#endsAt = this.#clock.elapsedMs() + this.#windowMs;
  }

  /** The next change is due at once. */
  end(): void {
    this.#endsAt = Number.NEGATIVE_INFINITY;
  }
}
