import { Buffer } from "node:buffer";
import { createPublicKey, type KeyObject } from "node:crypto";
import { children, expectTag, readDer, TAG } from "./der.ts";
import { readOid, readWholeBits } from "./values.ts";

export type PublicKey =
  | { kind: "RSA"; bits: number; exponentOctets: number }
  | { kind: "EC"; curve: "P-256" | "P-384" | "P-521" }
  | { kind: "Ed25519" }
  | { kind: "refused"; name: string };

const CURVES: Partial<Record<string, "P-256" | "P-384" | "P-521">> = {
  "1.2.840.10045.3.1.7": "P-256",
  "1.3.132.0.34": "P-384",
  "1.3.132.0.35": "P-521",
};
const MIN_RSA_BITS = 2_048;
/** As BoringSSL and Go have it: beyond, a verification takes longer than it is worth. */
const MAX_RSA_BITS = 8_192;
const MAX_EXPONENT_OCTETS = 4;

/** What kind of key a SubjectPublicKeyInfo (RFC 5280 §4.1.2.7) holds. */
export function readPublicKey(spki: Uint8Array): PublicKey {
  const [algorithm, bits] = children(readDer(spki, TAG.sequence));
  const [oid, parameters] = children(expectTag(algorithm, TAG.sequence));
  const key = readWholeBits(bits);
  switch (readOid(oid)) {
    case "1.2.840.113549.1.1.1":
      return readRsa(key);
    case "1.2.840.10045.2.1": {
      const curve = parameters?.tag === TAG.oid ? CURVES[readOid(parameters)] : undefined;
      return curve === undefined
        ? { kind: "refused", name: "an EC key on a curve other than P-256, P-384 and P-521" }
        : { kind: "EC", curve };
    }
    case "1.3.101.112":
      return { kind: "Ed25519" };
    default:
      return { kind: "refused", name: `a key of a kind that is not supported (${readOid(oid)})` };
  }
}

/** RSAPublicKey (RFC 8017 §A.1.1). */
function readRsa(key: Uint8Array): PublicKey {
  const [modulus, exponent] = children(readDer(key, TAG.sequence)).map((part) =>
    withoutLeadingZero(expectTag(part, TAG.integer).content),
  );
  if (modulus === undefined || exponent === undefined)
    return { kind: "refused", name: "an RSA key that is incomplete" };
  const bits = modulus.length * 8 - Math.clz32(modulus[0] ?? 0) + 24;
  return { kind: "RSA", bits, exponentOctets: exponent.length };
}

function withoutLeadingZero(octets: Uint8Array): Uint8Array {
  return octets[0] === 0 ? octets.subarray(1) : octets;
}

/** Why a key is too weak or unusual to be trusted, as text; undefined when it is not. */
export function keyFault(key: PublicKey): string | undefined {
  if (key.kind === "refused") return `has ${key.name}`;
  if (key.kind !== "RSA") return undefined;
  if (key.bits < MIN_RSA_BITS) return `has an RSA key of ${key.bits} bits; at least ${MIN_RSA_BITS} are needed`;
  if (key.bits > MAX_RSA_BITS) return `has an RSA key of ${key.bits} bits; at most ${MAX_RSA_BITS} are supported`;
  return key.exponentOctets > MAX_EXPONENT_OCTETS ? "has an RSA key with a public exponent of over 32 bits" : undefined;
}

/** The key for `node:crypto`; undefined when that does not take it. */
export function importKey(spki: Uint8Array): KeyObject | undefined {
  try {
    return createPublicKey({ key: Buffer.from(spki), format: "der", type: "spki" });
  } catch {
    return undefined;
  }
}
