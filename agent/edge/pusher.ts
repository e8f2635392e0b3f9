import { backoffMs } from "../runtime/backoff.ts";
import { type Clock, systemClock } from "../runtime/clock.ts";
import { AccumulationWindow, WorkQueue } from "../runtime/workqueue.ts";
import type { PushResult, Receipt } from "./client.ts";

export interface PusherOptions {
  windowMs: number;
  /** How often an unchanged snapshot is pushed again: by it edge and agent find out what the other has lost. */
  repeatMs: number;
  push: (text: string, ifMatch: string | undefined) => Promise<PushResult>;
  /** Encodes the current snapshot. */
  encode: () => string;
  /** Reads the sources again. */
  reread: () => Promise<void>;
  onTaken: (receipt: Receipt) => Promise<void>;
  onFailed: (message: string) => void;
  clock?: Clock;
  random: () => number;
}

const PUSH = "push";

/**
 * Pushes snapshots: soon after a change, at regular times without one, and after a failure with back-off. At most one push is in
 * flight. Nothing is pushed before `start`, when everything has been read.
 */
export class Pusher {
  readonly #options: PusherOptions;
  readonly #clock: Clock;
  readonly #queue: WorkQueue<typeof PUSH>;
  readonly #window: AccumulationWindow;
  #failures = 0;
  #hasHurried = false;
  #retryAt = 0;
  /** The edge asked to be left alone until then. A delivery from the edge does not end that. */
  #refusedUntil = 0;
  #etag: string | undefined;

  constructor(options: PusherOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#window = new AccumulationWindow(options.windowMs, this.#clock);
    this.#queue = new WorkQueue({ process: () => this.#process(), clock: this.#clock, random: options.random });
  }

  /** Starts to push. Further calls have no effect. */
  start(): void {
    if (this.#queue.isStarted) return;
    this.changed();
    this.#queue.start();
  }

  /** To be called when something in the snapshot has changed. */
  changed(): void {
    this.#queue.addAfter(PUSH, this.#delayMs);
  }

  /** To be called when the edge was heard. A failed push is retried at once, but only once: it may fail for another reason. */
  heard(): void {
    if (this.#failures === 0 || this.#hasHurried) return;
    this.#hasHurried = true;
    this.#failures = 0;
    this.#retryAt = 0;
    this.#window.end();
    this.changed();
  }

  async stop(): Promise<void> {
    await this.#queue.shutDown();
  }

  /** How long the next push has to wait, in milliseconds. */
  get #delayMs(): number {
    return Math.max(this.#window.delayMs, Math.max(this.#retryAt, this.#refusedUntil) - this.#clock.elapsedMs());
  }

  async #process(): Promise<number> {
    const startedAt = this.#clock.elapsedMs();
    if (Math.max(this.#retryAt, this.#refusedUntil) > startedAt) return this.#delayMs;
    this.#window.begin();
    try {
      if (!(await this.#push())) return this.#delayMs;
    } catch (error) {
      this.#failed((error as Error).message);
      return this.#delayMs;
    }
    return startedAt + this.#options.repeatMs - this.#clock.elapsedMs();
  }

  /** Returns whether the edge took the snapshot. */
  async #push(): Promise<boolean> {
    const { encode, push, onTaken } = this.#options;
    const result = await push(encode(), this.#etag);
    switch (result.kind) {
      case "Taken":
        this.#etag = result.etag;
        this.#failures = 0;
        this.#hasHurried = false;
        await onTaken(result.receipt);
        return true;
      case "Overtaken":
        await this.#overtaken(result);
        return false;
      case "Failed":
        this.#refusedUntil = this.#clock.elapsedMs() + (result.retryAfterMs ?? 0);
        this.#failed(result.message);
        return false;
    }
  }

  /**
   * The edge holds another snapshot than the one that was named. If none was named, it is from a former process: push again at once.
   * Otherwise another agent pushes under this name, or the edge has lost its storage: read everything again before the next push.
   */
  async #overtaken(result: Extract<PushResult, { kind: "Overtaken" }>): Promise<void> {
    const isFirst = this.#etag === undefined && result.etag !== undefined && this.#failures === 0;
    this.#etag = result.etag;
    if (isFirst) {
      this.#failures = 1;
      this.#window.end();
      return;
    }
    this.#failed(result.message);
    await this.#options.reread();
  }

  #failed(message: string): void {
    const { random, onFailed } = this.#options;
    this.#failures += 1;
    this.#retryAt = this.#clock.elapsedMs() + backoffMs(this.#failures, random());
    onFailed(message);
  }
}
