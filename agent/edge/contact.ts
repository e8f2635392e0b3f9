/**
 * When the edge was last heard of. Measured by a clock that only goes forward, in milliseconds: a wrong date, or one that
 * is put right, is no silence.
 */
export class Contact {
  readonly #staleAfterMs: number;
  readonly #elapsedMs: () => number;
  readonly #onHeard: () => void;
  #since: number;
  #heard = false;
  #isSilent: boolean;

  /**
   * @param wasSilent whether the former process had found the edge silent: only contact ends that @param onHeard called
   * at each contact with the edge
   */
  constructor(staleAfterMs: number, wasSilent: boolean, elapsedMs: () => number, onHeard: () => void = () => {}) {
    this.#onHeard = onHeard;
    this.#staleAfterMs = staleAfterMs;
    this.#elapsedMs = elapsedMs;
    this.#since = elapsedMs();
    this.#isSilent = wasSilent;
  }

  heard(): void {
    this.#since = this.#elapsedMs();
    this.#heard = true;
    this.#isSilent = false;
    this.#onHeard();
  }

  /** How long ago the edge was heard of, in milliseconds; undefined where it was not yet. */
  get heardAgoMs(): number | undefined {
    return this.#heard ? this.#elapsedMs() - this.#since : undefined;
  }

  get state(): "Heard" | "Awaited" | "Silent" {
    this.#isSilent ||= this.silentInMs <= 0;
    if (this.#isSilent) return "Silent";
    return this.#heard ? "Heard" : "Awaited";
  }

  /** How long until the edge counts as silent if nothing more is heard, in milliseconds. */
  get silentInMs(): number {
    return this.#since + this.#staleAfterMs - this.#elapsedMs();
  }
}
