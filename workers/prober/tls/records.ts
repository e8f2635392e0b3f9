import { ByteQueue, concat, u8, u16 } from "./bytes.ts";
import { CONTENT, TLS12 } from "./parameters.ts";
import { type Content, LONGEST_CONTENT, type Protection } from "./protection.ts";
import { alertCode, refuse } from "./tls-error.ts";

/** What protection may add, RFC 8446 §5.2 and RFC 5246 §6.2.3. */
const EXPANSION = { "TLSv1.3": 256, "TLSv1.2": 2048 } as const;
const HEADER = 5;
const USER_CANCELED = alertCode("user_canceled");
const KNOWN_TYPES: readonly number[] = Object.values(CONTENT);
/** Records without content are legal for application data and cost the peer little; so many in a row are an attack. */
const EMPTY_IN_A_ROW = 32;

/** The record layer, RFC 8446 §5: bytes to contents and back, under the keys of each direction. */
export class Records {
  read: Protection | undefined;
  write: Protection | undefined;
  /** Whether the version is settled; before, old servers put their own into the header (RFC 8446 §5.1). */
  settled = false;
  /** Whether the handshake is done, and nothing counts any more but what is encrypted. */
  established = false;
  readonly #incoming = new ByteQueue();
  #outgoing: Uint8Array[] = [];
  #emptyInARow = 0;
  #any = false;

  feed(bytes: Uint8Array): void {
    this.#incoming.push(bytes);
  }

  /** Forgets what has come and is not read. */
  drop(): void {
    this.#incoming.clear();
  }

  /** The next whole record's content, decrypted under the key of this moment; nothing while it is not here yet. */
  next(): Content | undefined {
    const [type, major, minor, high, low] = this.#incoming.peek(HEADER);
    if (type === undefined) return undefined;
    if (!KNOWN_TYPES.includes(type) || (major !== undefined && major !== 3)) this.#notTls();
    if (this.settled && minor !== undefined && minor !== 3)
      refuse("illegal_parameter", `a record has version 3.${minor}`);
    if (minor === undefined || high === undefined || low === undefined) return undefined;
    const length = high * 256 + low;
    if (length > LONGEST_CONTENT + this.#expansion(type))
      refuse("record_overflow", `it sent a record of ${length} bytes`);
    if (this.#incoming.length < HEADER + length) return undefined;
    this.#any = true;
    return this.#content(type, this.#incoming.take(HEADER + length).subarray(HEADER));
  }

  /** Queues content to send, in as many records as it takes. */
  send(type: number, content: Uint8Array, version = TLS12): void {
    for (let at = 0; at < content.length; at += LONGEST_CONTENT) {
      const body = content.subarray(at, at + LONGEST_CONTENT);
      this.#outgoing.push(
        this.write ? this.write.seal({ type, body }) : concat(u8(type), u16(version), u16(body.length), body),
      );
    }
  }

  /** A record that is never encrypted: the dummy ChangeCipherSpec of RFC 8446 §D.4. */
  sendPlain(type: number, body: Uint8Array): void {
    this.#outgoing.push(concat(u8(type), u16(TLS12), u16(body.length), body));
  }

  /** What is queued to be sent. */
  flush(): Uint8Array {
    const bytes = concat(...this.#outgoing);
    this.#outgoing = [];
    return bytes;
  }

  #expansion(type: number): number {
    if (!this.read || type === CONTENT.changeCipherSpec) return 0;
    return EXPANSION[this.read.version];
  }

  #content(type: number, fragment: Uint8Array): Content {
    const content =
      this.read && !this.#isPlain(type, fragment) ? this.read.open(type, fragment) : { type, body: fragment };
    if (content.body.length > LONGEST_CONTENT)
      refuse("record_overflow", `it sent a record with ${content.body.length} bytes in it`);
    this.#emptyInARow = content.body.length === 0 ? this.#emptyInARow + 1 : 0;
    if (this.#emptyInARow > EMPTY_IN_A_ROW) refuse("unexpected_message", "it sends nothing but empty records");
    if (content.body.length === 0 && content.type !== CONTENT.applicationData) {
      refuse("unexpected_message", "it sent an empty record");
    }
    return content;
  }

  /**
   * TLS 1.3 sends ChangeCipherSpec in the clear; a server that found no keys sends its alert so too, which ends all anyway. The one
   * alert that ends nothing has to be encrypted as it should.
   */
  #isPlain(type: number, fragment: Uint8Array): boolean {
    if (this.read?.version !== "TLSv1.3") return false;
    if (type === CONTENT.changeCipherSpec) return true;
    const ends = fragment.length === 2 && fragment[1] !== USER_CANCELED;
    return type === CONTENT.alert && ends && !this.established;
  }

  #notTls(): never {
    if (this.#any) return refuse("unexpected_message", "a record has a header that is none of TLS");
    const start = new TextDecoder("latin1").decode(this.#incoming.peek(16)).replace(/[^ -~]/g, "·");
    return refuse(
      "unexpected_message",
      `what it answers is not TLS at all, it begins "${start}"; is this the right port?`,
    );
  }
}
