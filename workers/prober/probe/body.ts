/** How much of a body is looked at. */
export const BODY_LIMIT = 65_536;

/** The beginning of a body, and whether a text occurred in it. Bounded, and linear however small the pieces are. */
export class BodyStart {
  readonly #wanted: Buffer | undefined;
  readonly #start: Buffer;
  #length = 0;
  #found = false;

  constructor(wanted: string | undefined) {
    this.#wanted = wanted === undefined ? undefined : Buffer.from(wanted);
    this.#start = wanted === undefined ? Buffer.alloc(0) : Buffer.alloc(BODY_LIMIT);
  }

  get found(): boolean {
    return this.#found;
  }

  get isFull(): boolean {
    return this.#length >= BODY_LIMIT;
  }

  add(piece: Uint8Array): void {
    const taken = piece.subarray(0, BODY_LIMIT - this.#length);
    const before = this.#length;
    this.#length += taken.length;
    if (this.#wanted === undefined || this.#found) return;
    this.#start.set(taken, before);
    const from = Math.max(0, before - this.#wanted.length + 1);
    this.#found = this.#start.subarray(0, this.#length).indexOf(this.#wanted, from) >= 0;
  }
}
