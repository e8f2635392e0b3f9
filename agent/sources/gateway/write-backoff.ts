import { backoffMs } from "../../runtime/backoff.ts";

/** Whoever is left alone for so long is not fought over any more. */
const CALM_MS = 600_000;

interface Attempt {
  content: string;
  times: number;
  atMs: number;
  waitMs: number;
}

/**
 * What was written of late, so that the same write of the same object comes again with growing patience: whether it failed or
 * another writer undid it. Times by a clock that only goes forward, in milliseconds.
 */
export class WriteBackoff {
  readonly #elapsedMs: () => number;
  readonly #random: () => number;
  readonly #attempts = new Map<string, Attempt>();

  constructor(elapsedMs: () => number, random: () => number) {
    this.#elapsedMs = elapsedMs;
    this.#random = random;
  }

  /** When this content may be written to the object. */
  dueAt(key: string, content: string): number {
    const last = this.#attempts.get(key);
    return last?.content === content ? last.atMs + last.waitMs : Number.NEGATIVE_INFINITY;
  }

  /** The content is written now. */
  record(key: string, content: string): void {
    const nowMs = this.#elapsedMs();
    for (const [other, { atMs }] of this.#attempts) if (nowMs - atMs > CALM_MS) this.#attempts.delete(other);
    const last = this.#attempts.get(key);
    const times = last?.content === content ? last.times + 1 : 1;
    this.#attempts.set(key, { content, times, atMs: nowMs, waitMs: backoffMs(times, this.#random()) });
  }
}
