import { children, type Der, expectTag, Malformed, TAG } from "./der.ts";
import { readCount, readOid } from "./values.ts";

export type Hash = "sha256" | "sha384" | "sha512";
export type SignatureAlgorithm =
  | { kind: "RSA"; hash: Hash }
  | { kind: "RSA-PSS"; hash: Hash; saltLength: number }
  | { kind: "ECDSA"; hash: Hash }
  | { kind: "Ed25519" }
  | { kind: "refused"; name: string };

const HASHES: Partial<Record<string, Hash>> = {
  "2.16.840.1.101.3.4.2.1": "sha256",
  "2.16.840.1.101.3.4.2.2": "sha384",
  "2.16.840.1.101.3.4.2.3": "sha512",
};
const HASH_OCTETS: Record<Hash, number> = { sha256: 32, sha384: 48, sha512: 64 };
const PSS = "1.2.840.113549.1.1.10";
const MGF1 = "1.2.840.113549.1.1.8";

/** RFC 4055 §5, RFC 5758 §3.2, RFC 8410 §3; the ones browsers accept. */
const ALGORITHMS: Partial<Record<string, SignatureAlgorithm>> = {
  "1.2.840.113549.1.1.11": { kind: "RSA", hash: "sha256" },
  "1.2.840.113549.1.1.12": { kind: "RSA", hash: "sha384" },
  "1.2.840.113549.1.1.13": { kind: "RSA", hash: "sha512" },
  "1.2.840.10045.4.3.2": { kind: "ECDSA", hash: "sha256" },
  "1.2.840.10045.4.3.3": { kind: "ECDSA", hash: "sha384" },
  "1.2.840.10045.4.3.4": { kind: "ECDSA", hash: "sha512" },
  "1.3.101.112": { kind: "Ed25519" },
};

/** What people know refused ones by. */
const REFUSED: Partial<Record<string, string>> = {
  "1.2.840.113549.1.1.2": "MD2",
  "1.2.840.113549.1.1.4": "MD5",
  "1.2.840.113549.1.1.5": "SHA-1",
  "1.2.840.10045.4.1": "SHA-1",
  "1.2.840.10040.4.3": "SHA-1",
  "1.2.840.113549.1.1.14": "SHA-224",
  "1.2.840.10045.4.3.1": "SHA-224",
};

export function readSignatureAlgorithm(identifier: Der | undefined): SignatureAlgorithm {
  const [oid, parameters] = children(expectTag(identifier, TAG.sequence));
  const name = readOid(oid);
  if (name === PSS) return readPss(parameters);
  return ALGORITHMS[name] ?? { kind: "refused", name: REFUSED[name] ?? `algorithm ${name}` };
}

/** RSASSA-PSS-params (RFC 4055 §3.1). Its defaults are SHA-1, and browsers take one hash throughout with a salt as long. */
function readPss(parameters: Der | undefined): SignatureAlgorithm {
  const fields = parameters === undefined ? [] : children(expectTag(parameters, TAG.sequence));
  const field = (number: number) => fields.find(({ tag }) => tag === (0xa0 | number));
  const hash = hashOf(inner(field(0)));
  const mask = inner(field(1));
  const saltLength = field(2) === undefined ? 20 : readCount(expectTag(inner(field(2)), TAG.integer).content);
  if (hash === undefined || mask === undefined) return { kind: "refused", name: "RSA-PSS with SHA-1 or another hash" };
  const [mgf, mgfHash] = children(expectTag(mask, TAG.sequence));
  if (readOid(mgf) !== MGF1 || hashOf(mgfHash) !== hash || saltLength !== HASH_OCTETS[hash])
    return { kind: "refused", name: "RSA-PSS with parameters that no browser takes" };
  return { kind: "RSA-PSS", hash, saltLength };
}

function inner(explicit: Der | undefined): Der | undefined {
  if (explicit === undefined) return undefined;
  const [value, more] = children(explicit);
  if (value === undefined || more !== undefined) throw new Malformed("a tagged value is not one value");
  return value;
}

function hashOf(identifier: Der | undefined): Hash | undefined {
  return identifier && HASHES[readOid(children(expectTag(identifier, TAG.sequence))[0])];
}
