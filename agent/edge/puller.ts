import { backoffMs } from "../runtime/backoff.ts";
import type { PullResult } from "./client.ts";

export interface PullerOptions {
  intervalMs: number;
  pull: () => Promise<PullResult>;
  onDelivery: (delivery: unknown) => Promise<void>;
  onFailed: (message: string) => void;
  random: () => number;
}

/** Asks the edge for deliveries every few seconds, one call at a time; after failures with growing patience. */
export class Puller {
  readonly #options: PullerOptions;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #failures = 0;
  #stopped = false;

  constructor(options: PullerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#next(0);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #next(delayMs: number): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => {
      this.#running = this.#pullOnce().then((nextInMs) => this.#next(nextInMs));
    }, delayMs);
  }

  /** How long to wait for the next call, in milliseconds. */
  async #pullOnce(): Promise<number> {
    const { pull, onDelivery, onFailed, intervalMs, random } = this.#options;
    let leastMs = intervalMs;
    try {
      const result = await pull();
      if (result.kind === "Failed") {
        leastMs = Math.max(leastMs, result.retryAfterMs ?? 0);
        throw new Error(result.message);
      }
      await onDelivery(result.delivery);
      this.#failures = 0;
      return intervalMs;
    } catch (error) {
      this.#failures += 1;
      onFailed((error as Error).message);
      return Math.max(leastMs, backoffMs(this.#failures, random()));
    }
  }
}
