import type { KubeObject } from "../kubernetes/object.ts";

/**
 * A lower bound of the API server's time: the newest time that it wrote into an object, plus the time since that was
 * read. A wrong clock on this machine changes nothing about it. Feed it with what is read and with answers to writes.
 */
export class ApiServerClock {
  readonly #elapsedMs: () => number;
  /** The API server's time less our elapsed time, in ms: the larger, the nearer to the truth. */
  #offsetMs = Number.NEGATIVE_INFINITY;
  /** Later than the first time an object says less. */
  readonly #observed = new WeakSet<KubeObject>();

  /** @param elapsedMs a clock that only goes forward, in milliseconds */
  constructor(elapsedMs: () => number) {
    this.#elapsedMs = elapsedMs;
  }

  observe(object: KubeObject): void {
    if (this.#observed.has(object)) return;
    this.#observed.add(object);
    const { creationTimestamp, deletionTimestamp, managedFields = [] } = object.metadata;
    const times = [creationTimestamp, deletionTimestamp, ...managedFields.map(({ time }) => time)];
    const newest = Math.max(...times.map((time) => timeOf(time)));
    this.#offsetMs = Math.max(this.#offsetMs, newest - this.#elapsedMs());
  }

  /** Unix ms; `-Infinity` before anything was observed. */
  nowMs(): number {
    return this.#offsetMs + this.#elapsedMs();
  }
}

function timeOf(text: string | undefined): number {
  const time = Date.parse(text ?? "");
  return Number.isNaN(time) ? Number.NEGATIVE_INFINITY : time;
}
