import { concat } from "../../workers/prober/tls/bytes.ts";
import { recordsOf } from "./tls-recorded.ts";

const [CHANGE, ALERT, HANDSHAKE, WARNING, USER_CANCELED] = [20, 21, 22, 1, 90];
const HELLO_REQUEST = "00000000";
const RETRY = "cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c";
const hex = (octets: Uint8Array) => Buffer.from(octets).toString("hex");

/**
 * What a handshake stands on, read without the client: messages in the clear however they are cut into records, and encrypted
 * records as they are. Left out is what nothing protects and may come or not: HelloRequests, warnings, the
 * ChangeCipherSpecs of TLS 1.3, and the version in a record's header.
 */
export function essence(stream: Uint8Array, is13: boolean): string[] {
  const found: string[] = [];
  const records = recordsOf(stream).filter((record) => !(is13 && record[0] === CHANGE && record.length === 6));
  const messages = new Messages();
  for (const [at, record] of records.entries()) {
    const [type, body] = [record[0] ?? 0, record.subarray(5)];
    if (type === HANDSHAKE) found.push(...messages.in(body));
    else if (type !== ALERT || !isHarmless(body)) found.push(`${type} ${hex(body)}`);
    const keysChange = is13 ? messages.last.startsWith("02") && messages.last.slice(12, 76) !== RETRY : type === CHANGE;
    if (keysChange) return [...found, ...records.slice(at + 1).map((one) => `${one[0]} ${hex(one.subarray(5))}`)];
  }
  return found;
}

/** RFC 8446 §6: user_canceled whatever its level, and before TLS 1.3 what is sent as a warning. */
const isHarmless = ([level, code]: Uint8Array) => level === WARNING || code === USER_CANCELED;

/** Puts messages together, HelloRequests left out. */
class Messages {
  last = "";
  #pending: Uint8Array = new Uint8Array(0);

  in(body: Uint8Array): string[] {
    const found: string[] = [];
    this.#pending = concat(this.#pending, body);
    for (let end = this.#end(); end <= this.#pending.length; end = this.#end()) {
      this.last = hex(this.#pending.subarray(0, end));
      if (this.last !== HELLO_REQUEST) found.push(this.last);
      this.#pending = this.#pending.subarray(end);
    }
    return found;
  }

  #end(): number {
    const [type, high = 0, middle = 0, low] = this.#pending;
    return type === undefined || low === undefined
      ? Number.POSITIVE_INFINITY
      : 4 + high * 0x10000 + middle * 0x100 + low;
  }
}
