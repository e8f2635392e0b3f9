/** One timer for many times: it rings at the earliest that was set, by a clock that only goes forward. */
export class Alarm {
  readonly #ring: () => void;
  readonly #elapsedMs: () => number;
  #timer: { handle: NodeJS.Timeout; atMs: number } | undefined;

  constructor(ring: () => void, elapsedMs: () => number) {
    this.#ring = ring;
    this.#elapsedMs = elapsedMs;
  }

  set(atMs: number): void {
    if (this.#timer !== undefined && this.#timer.atMs <= atMs) return;
    this.clear();
    const handle = setTimeout(
      () => {
        this.#timer = undefined;
        this.#ring();
      },
      Math.max(0, atMs - this.#elapsedMs()),
    );
    this.#timer = { handle, atMs };
  }

  clear(): void {
    clearTimeout(this.#timer?.handle);
    this.#timer = undefined;
  }
}
