import { ByteQueue } from "./bytes.ts";
import { refuse } from "./tls-error.ts";

/** A handshake message: `raw` with its header, for the transcript. */
export interface Message {
  type: number;
  body: Uint8Array;
  raw: Uint8Array;
}

const HEADER = 4;
/** More than any honest chain of certificates, and little enough to hold for some hundred probes at once. */
const LONGEST_MESSAGE = 128 * 1024;
const LONGEST_HANDSHAKE = 256 * 1024;
/** Those of a handshake and, after it, of tickets and key updates. */
const MOST_MESSAGES = 64;
/** Enough for a chain in records of one octet each, which no honest server sends; each record costs the work of a decryption. */
const MOST_RECORDS = 8_192;

/** Puts handshake messages together from the records they are spread over, RFC 8446 §5.1, within bounds. */
export class Messages {
  readonly #bytes = new ByteQueue();
  #total = 0;
  #count = 0;
  #records = 0;

  feed(bytes: Uint8Array): void {
    this.#total += bytes.length;
    if (this.#total > LONGEST_HANDSHAKE)
      refuse("decode_error", `its handshake is longer than ${LONGEST_HANDSHAKE} bytes`);
    if (++this.#records > MOST_RECORDS)
      refuse("unexpected_message", `it spreads its handshake over more than ${MOST_RECORDS} records`);
    this.#bytes.push(bytes);
  }

  /** Whether a message has begun to come, or more than was read. */
  get pending(): boolean {
    return this.#bytes.length > 0;
  }

  next(): Message | undefined {
    const [type, high, middle, low] = this.#bytes.peek(HEADER);
    if (type === undefined || high === undefined || middle === undefined || low === undefined) return undefined;
    const length = high * 0x10000 + middle * 0x100 + low;
    if (length > LONGEST_MESSAGE) refuse("decode_error", `it sends a handshake message of ${length} bytes`);
    if (this.#bytes.length < HEADER + length) return undefined;
    if (++this.#count > MOST_MESSAGES)
      refuse("unexpected_message", `it sends more than ${MOST_MESSAGES} handshake messages`);
    const raw = this.#bytes.take(HEADER + length);
    return { type, body: raw.subarray(HEADER), raw };
  }

  drop(): void {
    this.#bytes.clear();
  }
}
