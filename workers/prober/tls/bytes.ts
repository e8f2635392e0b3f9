import { refuse } from "./tls-error.ts";

/** Joins byte strings. */
export function concat(...parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  const joined = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

export const NOTHING = new Uint8Array(0);

export const u8 = (value: number) => Uint8Array.of(value);
export const u16 = (value: number) => Uint8Array.of(value >>> 8, value);
const u24 = (value: number) => Uint8Array.of(value >>> 16, value >>> 8, value);

/** Vectors of RFC 8446 §3.4: the length, in one, two or three bytes, and the content. */
export const vector8 = (content: Uint8Array) => concat(u8(content.length), content);
export const vector16 = (content: Uint8Array) => concat(u16(content.length), content);
export const vector24 = (content: Uint8Array) => concat(u24(content.length), content);

export const list16 = (values: readonly number[]) => concat(...values.map(u16));

export function equalBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, at) => byte === right[at]);
}

/** Reads the presentation language of RFC 8446 §3; whatever does not parse is answered with decode_error (§6.2). */
export class Reader {
  readonly #bytes: Uint8Array;
  readonly #what: string;
  #at = 0;

  /** @param what named in the fault when the bytes do not parse */
  constructor(bytes: Uint8Array, what: string) {
    this.#bytes = bytes;
    this.#what = what;
  }

  get empty(): boolean {
    return this.#at === this.#bytes.length;
  }

  take(length: number): Uint8Array {
    if (this.#bytes.length - this.#at < length) refuse("decode_error", `its ${this.#what} ends too early`);
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  u8(): number {
    return this.#number(1);
  }

  u16(): number {
    return this.#number(2);
  }

  u24(): number {
    return this.#number(3);
  }

  u32(): number {
    return this.#number(2) * 0x10000 + this.#number(2);
  }

  vector8(): Uint8Array {
    return this.take(this.u8());
  }

  vector16(): Uint8Array {
    return this.take(this.u16());
  }

  vector24(): Uint8Array {
    return this.take(this.u24());
  }

  /** A vector of two-byte values, at least one. */
  list16(): number[] {
    const content = new Reader(this.vector16(), this.#what);
    const values = [content.u16()];
    while (!content.empty) values.push(content.u16());
    return values;
  }

  end(): void {
    if (!this.empty) refuse("decode_error", `its ${this.#what} has bytes too many`);
  }

  #number(length: number): number {
    return this.take(length).reduce((value, byte) => value * 256 + byte, 0);
  }
}

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
