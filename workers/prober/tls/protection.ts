import type { CipherGCM, CipherGCMTypes, DecipherGCM } from "node:crypto";
import { createCipheriv, createDecipheriv } from "node:crypto";
import { concat, NOTHING, u8, u16 } from "./bytes.ts";
import { expandLabel } from "./key-schedule.ts";
import type { Suite } from "./parameters.ts";
import { CONTENT, TLS12 } from "./parameters.ts";
import { refuse } from "./tls-error.ts";

/** A record without its header. */
export interface Content {
  type: number;
  body: Uint8Array;
}

/** Protects records in one direction, under one key. */
export interface Protection {
  readonly version: Suite["version"];
  /** The record to send, with its header. */
  seal(content: Content): Uint8Array;
  /** The content of a record that came, or a refusal. */
  open(type: number, fragment: Uint8Array): Content;
}

/** RFC 8446 §5.1: the longest content of a record. */
export const LONGEST_CONTENT = 2 ** 14;
const TAG = 16;
/** Far below what AES-GCM stands (2^24.5 records, RFC 8446 §5.5), far above what a probe sends or reads. */
const RECORDS_PER_KEY = 2 ** 24;

/** An AEAD whose nonces count the records. */
class Aead {
  readonly #suite: Suite;
  readonly #key: Uint8Array;
  #sequence = 0;

  constructor(suite: Suite, key: Uint8Array) {
    this.#suite = suite;
    this.#key = key;
  }

  /** The number of the next record, in eight bytes. */
  next(): Uint8Array {
    if (this.#sequence >= RECORDS_PER_KEY) refuse("internal_error", "it sent too many records under one key");
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setUint32(4, this.#sequence++);
    return bytes;
  }

  encrypt(nonce: Uint8Array, additional: Uint8Array, plain: Uint8Array): Uint8Array {
    const cipher = createCipheriv(this.#suite.cipher as CipherGCMTypes, this.#key, nonce, {
      authTagLength: TAG,
    }) as CipherGCM;
    cipher.setAAD(additional);
    return concat(cipher.update(plain), cipher.final(), cipher.getAuthTag());
  }

  decrypt(nonce: Uint8Array, additional: Uint8Array, sealed: Uint8Array): Uint8Array {
    const end = sealed.length - TAG;
    if (end < 0) refuse("bad_record_mac", "it sent a record too short to be an encrypted one");
    const options = { authTagLength: TAG };
    const cipher = createDecipheriv(this.#suite.cipher as CipherGCMTypes, this.#key, nonce, options) as DecipherGCM;
    try {
      cipher.setAAD(additional);
      cipher.setAuthTag(sealed.subarray(end));
      return concat(cipher.update(sealed.subarray(0, end)), cipher.final());
    } catch {
      return refuse("bad_record_mac", "a record does not decrypt; it was damaged on the way, or the keys differ");
    }
  }
}

/** RFC 8446 §5.3: the IV with the record's number exclusive-ored into its end. */
function xorNonce(iv: Uint8Array, sequence: Uint8Array): Uint8Array {
  const nonce = Uint8Array.from(iv);
  for (let at = 0; at < 8; at++) nonce[at + 4] = (nonce[at + 4] ?? 0) ^ (sequence[at] ?? 0);
  return nonce;
}

const header = (type: number, length: number) => concat(u8(type), u16(TLS12), u16(length));

/** TLS 1.3 (RFC 8446 §5.2): the true content type is inside, behind the content and before padding of zeros. */
export function protect13(suite: Suite, trafficSecret: Uint8Array): Protection {
  const iv = expandLabel(suite.hash, trafficSecret, "iv", NOTHING, 12);
  const aead = new Aead(suite, expandLabel(suite.hash, trafficSecret, "key", NOTHING, suite.keyLength));
  return {
    version: "TLSv1.3",
    seal({ type, body }) {
      const head = header(CONTENT.applicationData, body.length + 1 + TAG);
      return concat(head, aead.encrypt(xorNonce(iv, aead.next()), head, concat(body, u8(type))));
    },
    open(type, fragment) {
      if (type !== CONTENT.applicationData)
        refuse("unexpected_message", "it sends unencrypted records once keys are agreed");
      const inner = aead.decrypt(xorNonce(iv, aead.next()), header(type, fragment.length), fragment);
      // RFC 8446 §5.4: padding counts too, but for the byte of the type.
      if (inner.length > LONGEST_CONTENT + 1)
        refuse("record_overflow", `it sent a record with ${inner.length} bytes in it`);
      let end = inner.length - 1;
      while (end >= 0 && inner[end] === 0) end--;
      const inside = inner[end];
      if (inside === undefined)
        return refuse("unexpected_message", "it sent an encrypted record of nothing but padding");
      if (inside === CONTENT.changeCipherSpec) refuse("unexpected_message", "it sent an encrypted ChangeCipherSpec");
      return { type: inside, body: inner.subarray(0, end) };
    },
  };
}

/** TLS 1.2: AES-GCM with eight explicit bytes of nonce (RFC 5288 §3), ChaCha20-Poly1305 without (RFC 7905 §2). */
export function protect12(suite: Suite, key: Uint8Array, iv: Uint8Array): Protection {
  const aead = new Aead(suite, key);
  const explicit = suite.cipher === "chacha20-poly1305" ? 0 : 8;
  const additional = (sequence: Uint8Array, type: number, length: number) =>
    concat(sequence, u8(type), u16(TLS12), u16(length));
  const nonceOf = (sequence: Uint8Array, sent: Uint8Array) => (explicit ? concat(iv, sent) : xorNonce(iv, sequence));
  return {
    version: "TLSv1.2",
    seal({ type, body }) {
      const sequence = aead.next();
      const sent = sequence.subarray(0, explicit);
      const sealed = aead.encrypt(nonceOf(sequence, sent), additional(sequence, type, body.length), body);
      return concat(header(type, sent.length + sealed.length), sent, sealed);
    },
    open(type, fragment) {
      const sequence = aead.next();
      const length = fragment.length - explicit - TAG;
      if (length < 0) refuse("bad_record_mac", "it sent a record too short to be an encrypted one");
      const nonce = nonceOf(sequence, fragment.subarray(0, explicit));
      return { type, body: aead.decrypt(nonce, additional(sequence, type, length), fragment.subarray(explicit)) };
    },
  };
}

/** Length of the IV of a TLS 1.2 suite: salt of GCM, or the whole nonce. */
export const ivLength12 = (suite: Suite): number => (suite.cipher === "chacha20-poly1305" ? 12 : 4);
