import type { KeyObject } from "node:crypto";
import { constants, createVerify, verify } from "node:crypto";
import type { VersionName } from "./parameters.ts";
import { refuse } from "./tls-error.ts";

interface Scheme {
  code: number;
  keyType: "rsa" | "ec" | "ed25519";
  hash?: "sha256" | "sha384" | "sha512";
  /** Salt length of RSA-PSS, as long as the hash (RFC 8446 §4.2.3). */
  salt?: number;
  curve?: string;
}

/** SignatureScheme of RFC 8446 §4.2.3 that can be checked here. */
const SCHEMES = {
  rsa_pkcs1_sha256: { code: 0x0401, keyType: "rsa", hash: "sha256" },
  rsa_pkcs1_sha384: { code: 0x0501, keyType: "rsa", hash: "sha384" },
  rsa_pkcs1_sha512: { code: 0x0601, keyType: "rsa", hash: "sha512" },
  rsa_pss_rsae_sha256: { code: 0x0804, keyType: "rsa", hash: "sha256", salt: 32 },
  rsa_pss_rsae_sha384: { code: 0x0805, keyType: "rsa", hash: "sha384", salt: 48 },
  rsa_pss_rsae_sha512: { code: 0x0806, keyType: "rsa", hash: "sha512", salt: 64 },
  ecdsa_secp256r1_sha256: { code: 0x0403, keyType: "ec", hash: "sha256", curve: "prime256v1" },
  ecdsa_secp384r1_sha384: { code: 0x0503, keyType: "ec", hash: "sha384", curve: "secp384r1" },
  ecdsa_secp521r1_sha512: { code: 0x0603, keyType: "ec", hash: "sha512", curve: "secp521r1" },
  ed25519: { code: 0x0807, keyType: "ed25519" },
} as const satisfies Record<string, Scheme>;

export type SchemeName = keyof typeof SCHEMES;

export const schemeCode = (name: SchemeName): number => SCHEMES[name].code;

export interface Signed {
  scheme: number;
  content: Uint8Array;
  signature: Uint8Array;
}

/** The leaf's public key, as KeyObject for its kind and as DER for RSA (see checkRsa). */
export interface LeafKey {
  object: KeyObject;
  der: Buffer;
  type: string;
  /** Of EC keys, as OpenSSL names it. */
  curve?: string;
}

/** A server shows the same certificate at every probe, whose key is one object then. */
const known = new WeakMap<KeyObject, LeafKey>();

export function leafKey(object: KeyObject): LeafKey {
  const read = known.get(object);
  if (read !== undefined) return read;
  const der = object.export({ format: "der", type: "spki" });
  const curve = object.asymmetricKeyDetails?.namedCurve;
  const key = { object, der, type: object.asymmetricKeyType ?? "unknown", ...(curve !== undefined && { curve }) };
  known.set(object, key);
  return key;
}

/**
 * Checks a signature of the server with the key of its certificate, or refuses. The scheme must be one that was offered, and
 * match the key. In TLS 1.3 the curve must match too, and PKCS #1 is not allowed (RFC 8446 §4.2.3, §4.4.3). In TLS 1.2 any curve
 * goes with any hash.
 */
export function checkSignature(
  key: LeafKey,
  signed: Signed,
  offered: readonly SchemeName[],
  version: VersionName,
): void {
  const name = offered.find((each) => SCHEMES[each].code === signed.scheme);
  if (!name)
    throw refuse("illegal_parameter", `it signs with scheme 0x${signed.scheme.toString(16)}, which was not offered`);
  const scheme: Scheme = SCHEMES[name];
  if (scheme.keyType !== key.type) refuse("illegal_parameter", `it signs as ${name} with a key of type ${key.type}`);
  if (version === "TLSv1.3") {
    if (scheme.keyType === "rsa" && !scheme.salt)
      refuse("illegal_parameter", `it signs as ${name}, which TLS 1.3 forbids`);
    if (scheme.curve && scheme.curve !== key.curve)
      refuse("illegal_parameter", `it signs as ${name} with a key on ${key.curve}`);
  }
  if (!isSigned(key, scheme, signed)) {
    refuse(
      "decrypt_error",
      "its signature over the handshake is wrong, or was not made with the key of its certificate",
    );
  }
}

function isSigned(key: LeafKey, scheme: Scheme, { content, signature }: Signed): boolean {
  try {
    if (!scheme.hash) return verify(null, content, key.object, signature);
    if (scheme.keyType === "rsa") return checkRsa(key, scheme, content, signature);
    return createVerify(scheme.hash).update(content).verify(key.object, signature);
  } catch {
    return false;
  }
}

/**
 * In workerd the one-call `verify()` ignores `padding` and always takes RSA for PKCS #1. The options of `createVerify().verify()`
 * take no KeyObject, hence the DER.
 */
function checkRsa(key: LeafKey, scheme: Scheme, content: Uint8Array, signature: Uint8Array): boolean {
  const spki = { key: key.der, format: "der", type: "spki" } as const;
  const padding = scheme.salt
    ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: scheme.salt }
    : { padding: constants.RSA_PKCS1_PADDING };
  return createVerify(scheme.hash ?? "sha256")
    .update(content)
    .verify({ ...spki, ...padding }, signature);
}
