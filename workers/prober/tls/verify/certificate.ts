import { Buffer } from "node:buffer";
import { readSignatureAlgorithm, type SignatureAlgorithm } from "./algorithm.ts";
import { children, context, type Der, expectTag, Malformed, readDer, TAG } from "./der.ts";
import { type Extensions, readExtensions } from "./extensions.ts";
import { type PublicKey, readPublicKey } from "./key.ts";
import { checkName } from "./name.ts";
import { readCount, readTime, readWholeBits } from "./values.ts";

/** What verification needs of a certificate (RFC 5280 §4.1). Octets are views of `der`; times are Unix ms. */
export interface Certificate {
  der: Uint8Array;
  /** 1, 2 or 3. */
  version: number;
  /** What is signed. */
  signed: Uint8Array;
  algorithm: SignatureAlgorithm;
  signature: Uint8Array;
  /** Distinguished names, in DER. */
  subject: Uint8Array;
  issuer: Uint8Array;
  notBeforeMs: number;
  notAfterMs: number;
  /** SubjectPublicKeyInfo, in DER. */
  spki: Uint8Array;
  key: PublicKey;
  extensions: Extensions;
}

/** Reads a certificate; returns what is malformed as text. Never throws. */
export function parseCertificate(der: Uint8Array): Certificate | { malformed: string } {
  try {
    return readCertificate(der);
  } catch (error) {
    return { malformed: error instanceof Malformed ? error.message : "it cannot be read" };
  }
}

function readCertificate(der: Uint8Array): Certificate {
  const [signed, outerAlgorithm, signature, more] = children(readDer(der, TAG.sequence));
  if (more !== undefined) throw new Malformed("a certificate has more than three parts");
  const fields = children(expectTag(signed, TAG.sequence));
  const version = fields[0]?.tag === context(0, true) ? readVersion(fields.shift()) : 1;
  const [serial, innerAlgorithm, issuer, validity, subject, spki, ...optional] = fields;
  expectTag(serial, TAG.integer);
  // RFC 5280 §4.1.1.2: the same identifier, and only one of the two is signed.
  if (!sameOctets(outerAlgorithm?.raw, innerAlgorithm?.raw)) throw new Malformed("two signature algorithms are named");
  const [notBefore, notAfter] = children(expectTag(validity, TAG.sequence));
  checkName(expectTag(issuer, TAG.sequence));
  checkName(expectTag(subject, TAG.sequence));
  return {
    der,
    version,
    signed: expectTag(signed, TAG.sequence).raw,
    algorithm: readSignatureAlgorithm(outerAlgorithm),
    signature: readWholeBits(signature),
    subject: expectTag(subject, TAG.sequence).raw,
    issuer: expectTag(issuer, TAG.sequence).raw,
    notBeforeMs: readTime(notBefore),
    notAfterMs: readTime(notAfter),
    spki: expectTag(spki, TAG.sequence).raw,
    key: readPublicKey(expectTag(spki, TAG.sequence).raw),
    extensions: readExtensions(extensionsOf(optional, version)),
  };
}

function readVersion(field: Der | undefined): number {
  const version = readCount(readDer(expectTag(field, context(0, true)).content, TAG.integer).content) + 1;
  if (version > 3) throw new Malformed(`a certificate is of version ${version}`);
  return version;
}

/** Unique ids of old (`[1]`, `[2]`) are skipped. */
function extensionsOf(optional: readonly Der[], version: number): Der | undefined {
  const field = optional.find(({ tag }) => tag === context(3, true));
  if (field !== undefined && version !== 3) throw new Malformed("extensions are in a certificate of an old version");
  return field && readDer(field.content, TAG.sequence);
}

export function sameOctets(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  return one !== undefined && other !== undefined && Buffer.compare(one, other) === 0;
}

/** Whether issuer and subject are the same name. */
export function isSelfIssued(certificate: Certificate): boolean {
  return sameOctets(certificate.subject, certificate.issuer);
}

/** Whether two certificates speak of the same authority: name and key (RFC 5280 §6.1.1 d). */
export function isSameAuthority(one: Certificate, other: Certificate): boolean {
  return sameOctets(one.subject, other.subject) && sameOctets(one.spki, other.spki);
}
