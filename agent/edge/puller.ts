import { backoffMs } from "../runtime/backoff.ts";
import type { Clock } from "../runtime/clock.ts";
import { WorkQueue } from "../runtime/workqueue.ts";
import type { PullResult } from "./client.ts";

export interface PullerOptions {
  intervalMs: number;
  pull: () => Promise<PullResult>;
  onDelivery: (delivery: unknown) => Promise<void>;
  onFailed: (message: string) => void;
  clock?: Clock;
  random: () => number;
}

const PULL = "pull";

/** Asks the edge for deliveries at an interval, one call at a time, and after failures with back-off. */
export class Puller {
  readonly #options: PullerOptions;
  readonly #queue: WorkQueue<typeof PULL>;
  #failures = 0;

  constructor(options: PullerOptions) {
    this.#options = options;
    this.#queue = new WorkQueue({ ...options, process: () => this.#pull() });
  }

  /** Starts to pull. Further calls have no effect. */
  start(): void {
    if (this.#queue.isStarted) return;
    this.#queue.add(PULL);
    this.#queue.start();
  }

  async stop(): Promise<void> {
    await this.#queue.shutDown();
  }

  /** Returns the delay until the next call, in milliseconds. */
  async #pull(): Promise<number> {
    const { pull, onDelivery, onFailed, intervalMs, random } = this.#options;
    let minDelayMs = intervalMs;
    try {
      const result = await pull();
      if (result.kind === "Failed") {
        minDelayMs = Math.max(minDelayMs, result.retryAfterMs ?? 0);
        throw new Error(result.message);
      }
      await onDelivery(result.delivery);
      this.#failures = 0;
      return intervalMs;
    } catch (error) {
      this.#failures += 1;
      onFailed((error as Error).message);
      return Math.max(minDelayMs, backoffMs(this.#failures, random()));
    }
  }
}
