import { backoffMs } from "../../runtime/backoff.ts";

/** An object that was not written for this long starts without back-off again. */
const CALM_MS = 600_000;

interface Attempt {
  content: string;
  times: number;
  atMs: number;
  waitMs: number;
}

/**
 * Delays the repetition of a write to the same object with the same content, by back-off. So it covers writes that fail
 * and writes that another writer undoes. Times are of a monotonic clock, in milliseconds.
 */
export class WriteBackoff {
  readonly #elapsedMs: () => number;
  readonly #random: () => number;
  readonly #attempts = new Map<string, Attempt>();

  constructor(elapsedMs: () => number, random: () => number) {
    this.#elapsedMs = elapsedMs;
    this.#random = random;
  }

  /** The time from which this content may be written to the object. */
  dueAt(key: string, content: string): number {
    const last = this.#attempts.get(key);
    return last?.content === content ? last.atMs + last.waitMs : Number.NEGATIVE_INFINITY;
  }

  /** Records that the content is written now. */
  record(key: string, content: string): void {
    const nowMs = this.#elapsedMs();
    for (const [other, { atMs }] of this.#attempts) if (nowMs - atMs > CALM_MS) this.#attempts.delete(other);
    const last = this.#attempts.get(key);
    const times = last?.content === content ? last.times + 1 : 1;
    this.#attempts.set(key, { content, times, atMs: nowMs, waitMs: backoffMs(times, this.#random()) });
  }
}
