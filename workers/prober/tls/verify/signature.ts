import { Buffer } from "node:buffer";
import { constants, createVerify, type KeyObject, verify } from "node:crypto";
import type { SignatureAlgorithm } from "./algorithm.ts";
import type { Certificate } from "./certificate.ts";
import { importKey } from "./key.ts";

const KEY_KINDS = { RSA: "RSA", "RSA-PSS": "RSA", ECDSA: "EC", Ed25519: "Ed25519" } as const;

const imported = new WeakMap<Certificate, KeyObject>();

/** The certificate's key for `node:crypto`, imported once; undefined when that does not take it. */
export function keyOf(certificate: Certificate): KeyObject | undefined {
  const known = imported.get(certificate);
  if (known !== undefined) return known;
  const key = importKey(certificate.spki);
  if (key !== undefined) imported.set(certificate, key);
  return key;
}

/** Whether the issuer's key made the certificate's signature (RFC 5280 §6.1.3 a 1). Never throws. */
export function isSignedBy({ algorithm, signed, signature }: Certificate, issuer: Certificate): boolean {
  if (algorithm.kind === "refused" || KEY_KINDS[algorithm.kind] !== issuer.key.kind) return false;
  const key = keyOf(issuer);
  if (key === undefined) return false;
  try {
    if (algorithm.kind === "RSA-PSS") return isPssBy(issuer.spki, algorithm, signed, signature);
    return verify(algorithm.kind === "Ed25519" ? null : algorithm.hash, signed, key, signature);
  } catch {
    return false;
  }
}

type Pss = Extract<SignatureAlgorithm, { kind: "RSA-PSS" }>;

/** In workerd the one-call `verify()` ignores `padding`, and createVerify takes it only beside a key in DER. */
function isPssBy(spki: Uint8Array, { hash, saltLength }: Pss, signed: Uint8Array, signature: Uint8Array): boolean {
  const key = { key: Buffer.from(spki), format: "der", type: "spki" } as const;
  const padding = constants.RSA_PKCS1_PSS_PADDING;
  return createVerify(hash)
    .update(signed)
    .verify({ ...key, padding, saltLength }, signature);
}
