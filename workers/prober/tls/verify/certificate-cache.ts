import { createHash } from "node:crypto";
import { type Certificate, parseCertificate } from "./certificate.ts";
import { isSignedBy } from "./signature.ts";

const MAX_KNOWN = 256;
/** Longer ones are read each time: what is kept for all servers of an isolate has to be bounded. */
const MAX_OCTETS = 8_192;

/** By SHA-256, the least recently seen first. A server sends the same chain at every probe. */
const known = new Map<string, Certificate>();
const signers = new WeakMap<Certificate, WeakMap<Certificate, boolean>>();

/** As parseCertificate, but the same object for a certificate that was seen not long ago; it holds a copy of `der`. */
export function readCertificate(der: Uint8Array): Certificate | { malformed: string } {
  if (der.length > MAX_OCTETS) return parseCertificate(der);
  const digest = createHash("sha256").update(der).digest("base64");
  const read = known.get(digest) ?? parseCertificate(Uint8Array.from(der));
  if ("malformed" in read) return read;
  known.delete(digest);
  known.set(digest, read);
  const [oldest] = known.keys();
  if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest);
  return read;
}

/** As isSignedBy, computed once for two certificates while both are remembered. */
export function isSignedByOnce(certificate: Certificate, issuer: Certificate): boolean {
  const seen = signers.get(certificate) ?? new WeakMap<Certificate, boolean>();
  signers.set(certificate, seen);
  const signed = seen.get(issuer) ?? isSignedBy(certificate, issuer);
  seen.set(issuer, signed);
  return signed;
}
