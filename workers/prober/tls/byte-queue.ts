/** Bytes that came and are not used yet. Room grows by doubling, so that single bytes do not cost a copy of everything. */
export class ByteQueue {
  #room = new Uint8Array(0);
  #start = 0;
  #end = 0;

  get length(): number {
    return this.#end - this.#start;
  }

  push(bytes: Uint8Array): void {
    if (this.#end + bytes.length > this.#room.length) this.#makeRoom(bytes.length);
    this.#room.set(bytes, this.#end);
    this.#end += bytes.length;
  }

  /** The first bytes, left where they are. Valid until the next push. */
  peek(length: number): Uint8Array {
    return this.#room.subarray(this.#start, Math.min(this.#start + length, this.#end));
  }

  /** Takes a copy of the first bytes out. */
  take(length: number): Uint8Array {
    const taken = this.peek(length).slice();
    this.#start += taken.length;
    if (this.length === 0) this.#start = this.#end = 0;
    return taken;
  }

  clear(): void {
    this.#room = new Uint8Array(0);
    this.#start = this.#end = 0;
  }

  #makeRoom(more: number): void {
    const needed = this.length + more;
    const room = needed * 2 > this.#room.length ? new Uint8Array(needed * 2) : this.#room;
    room.set(this.#room.subarray(this.#start, this.#end));
    this.#room = room;
    this.#end -= this.#start;
    this.#start = 0;
  }
}
