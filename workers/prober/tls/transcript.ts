import type { Hash } from "node:crypto";
import { createHash } from "node:crypto";
import { concat, u8, vector24 } from "./bytes.ts";
import type { HashName } from "./parameters.ts";
import { HANDSHAKE } from "./parameters.ts";

/** The running hash over the handshake messages, RFC 8446 §4.4.1; messages wait until the suite names the hash. */
export class Transcript {
  #waiting: Uint8Array[] = [];
  #hash: { name: HashName; state: Hash } | undefined;

  add(message: Uint8Array): void {
    if (this.#hash) this.#hash.state.update(message);
    else this.#waiting.push(message.slice());
  }

  use(name: HashName): void {
    if (this.#hash?.name === name) return;
    this.#hash = { name, state: createHash(name) };
    for (const message of this.#waiting) this.#hash.state.update(message);
    this.#waiting = [];
  }

  digest(): Uint8Array {
    if (!this.#hash) throw new Error("No suite has named the hash yet");
    return this.#hash.state.copy().digest();
  }

  /** After a HelloRetryRequest the first ClientHello counts as its hash (RFC 8446 §4.4.1). */
  foldFirstHello(name: HashName): void {
    this.use(name);
    const folded = concat(u8(HANDSHAKE.messageHash), vector24(this.digest()));
    this.#hash = { name, state: createHash(name).update(folded) };
  }
}
