import { createHash, createHmac } from "node:crypto";
import { concat, NOTHING, u8, u16, vector8 } from "./bytes.ts";
import type { HashName } from "./parameters.ts";

const LENGTH = { sha256: 32, sha384: 48 } as const;
const ENCODER = new TextEncoder();

const hmac = (hash: HashName, key: Uint8Array, ...parts: Uint8Array[]): Uint8Array => {
  const mac = createHmac(hash, key);
  for (const part of parts) mac.update(part);
  return new Uint8Array(mac.digest());
};

/** HKDF-Extract is one HMAC (RFC 5869 §2.2). */
const extract = (hash: HashName, salt: Uint8Array, material: Uint8Array) => hmac(hash, salt, material);

/** HKDF-Expand-Label of RFC 8446 §7.1. Nothing here is longer than the hash, so that one round of HKDF-Expand does. */
export function expandLabel(
  hash: HashName,
  secret: Uint8Array,
  label: string,
  context: Uint8Array,
  length: number,
): Uint8Array {
  const info = concat(u16(length), vector8(ENCODER.encode(`tls13 ${label}`)), vector8(context));
  return hmac(hash, secret, info, u8(1)).subarray(0, length);
}

/** What is the same in every handshake without a PSK, by hash. */
interface Constants {
  zeros: Uint8Array;
  /** The hash of no message at all. */
  empty: Uint8Array;
  early: Uint8Array;
  /** Derived from the early secret: the salt of the handshake secret. */
  salt: Uint8Array;
}

const CONSTANTS = new Map<HashName, Constants>();

function constantsOf(hash: HashName): Constants {
  const known = CONSTANTS.get(hash);
  if (known !== undefined) return known;
  const zeros = new Uint8Array(LENGTH[hash]);
  const empty = new Uint8Array(createHash(hash).update(NOTHING).digest());
  const early = extract(hash, zeros, zeros);
  const made = { zeros, empty, early, salt: expandLabel(hash, early, "derived", empty, LENGTH[hash]) };
  CONSTANTS.set(hash, made);
  return made;
}

/** The key schedule of RFC 8446 §7.1, without PSK. */
export class KeySchedule {
  readonly #hash: HashName;
  readonly #constants: Constants;
  #secret: Uint8Array;

  constructor(hash: HashName) {
    this.#hash = hash;
    this.#constants = constantsOf(hash);
    this.#secret = this.#constants.early;
  }

  /** From the early to the handshake secret with the shared one, and on to the master secret with nothing. */
  advance(material: Uint8Array = this.#constants.zeros): void {
    const { early, salt, empty } = this.#constants;
    this.#secret = extract(this.#hash, this.#secret === early ? salt : this.derive("derived", empty), material);
  }

  /** Derive-Secret: @param transcript the hash of the messages so far */
  derive(label: string, transcript: Uint8Array): Uint8Array {
    return expandLabel(this.#hash, this.#secret, label, transcript, LENGTH[this.#hash]);
  }
}

/** verify_data of a Finished message, RFC 8446 §4.4.4. */
export function finishedMac(hash: HashName, trafficSecret: Uint8Array, transcript: Uint8Array): Uint8Array {
  return hmac(hash, expandLabel(hash, trafficSecret, "finished", NOTHING, LENGTH[hash]), transcript);
}

/** application_traffic_secret_N+1, RFC 8446 §7.2. */
export const nextSecret = (hash: HashName, secret: Uint8Array) =>
  expandLabel(hash, secret, "traffic upd", NOTHING, LENGTH[hash]);

/** The pseudorandom function of TLS 1.2, RFC 5246 §5. */
export function prf(hash: HashName, secret: Uint8Array, label: string, seed: Uint8Array, length: number): Uint8Array {
  const labelled = concat(ENCODER.encode(label), seed);
  const blocks: Uint8Array[] = [];
  let a: Uint8Array = labelled;
  for (let made = 0; made < length; made += LENGTH[hash]) {
    a = hmac(hash, secret, a);
    blocks.push(hmac(hash, secret, a, labelled));
  }
  return concat(...blocks).subarray(0, length);
}
