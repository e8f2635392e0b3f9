import type { TlsFault } from "../tls-error.ts";
import { type Certificate, isSelfIssued } from "./certificate.ts";
import { keyFault } from "./key.ts";
import { nameText } from "./name.ts";
import { constraintFault } from "./name-constraints.ts";

/** Clocks of servers and of the edge differ a little, and a certificate may be served the second it was made. */
const NOT_BEFORE_SKEW_MS = 60_000;
const SERVER_AUTH = "1.3.6.1.5.5.7.3.1";
const ANY_USAGE = "2.5.29.37.0";

/** How messages call a certificate. */
export const LEAF = "the certificate";
export const authorityText = (certificate: Certificate, isAnchor: boolean): string =>
  `the ${isAnchor ? "root" : "intermediate"} certificate "${nameText(certificate.subject)}"`;

export const invalid = (message: string): TlsFault => ({ reason: "CertificateInvalid", message });

/** RFC 5280 §4.1.2.5: both ends are within; instants, so no zone of this machine matters. */
export function validityFault(certificate: Certificate, who: string, nowMs: number): TlsFault | undefined {
  const { notBeforeMs, notAfterMs } = certificate;
  if (nowMs > notAfterMs) return { reason: "CertificateExpired", message: `${who} expired at ${instant(notAfterMs)}` };
  if (nowMs + NOT_BEFORE_SKEW_MS >= notBeforeMs) return undefined;
  return { reason: "CertificateNotYetValid", message: `${who} is not valid before ${instant(notBeforeMs)}` };
}

function instant(ms: number): string {
  return new Date(ms).toISOString().replace(".000Z", "Z");
}

/** What a server's own certificate has to be beside valid, trusted and of the right name. */
export function leafFault(leaf: Certificate): TlsFault | undefined {
  const { keyUsage, extendedKeyUsage } = leaf.extensions;
  const own = ownFault(leaf);
  if (own !== undefined) return invalid(`${LEAF} ${own}`);
  // RFC 8446 §4.4.2.2 and RFC 8422 §5.3: the key signs the handshake.
  if (keyUsage && !keyUsage.digitalSignature) return invalid(`${LEAF} is not for digital signatures (its key usage)`);
  // RFC 5280 §4.2.1.12; for a leaf browsers do not take anyExtendedKeyUsage instead.
  if (extendedKeyUsage && !extendedKeyUsage.includes(SERVER_AUTH))
    return invalid(`${LEAF} is not for servers: its extended key usage lacks serverAuth`);
  return undefined;
}

/** RFC 5280 §4.2: a critical extension that is not processed; and keys that nobody should trust. */
function ownFault({ key, extensions }: Certificate): string | undefined {
  const [unknown] = extensions.unknownCritical;
  return unknown === undefined ? keyFault(key) : `has the critical extension ${unknown}, which is not known here`;
}

/**
 * What is wrong with the authorities of a path (leaf first, trust anchor last) whose signatures match. Validity of all comes
 * first, then the rules from the anchor down. Undefined when the path holds.
 */
export function pathFault(path: readonly Certificate[], nowMs: number): TlsFault | undefined {
  const authorities = path
    .map((certificate, place) => ({ certificate, place }))
    .slice(1)
    .reverse();
  const nameAt = (place: number) => authorityText(path[place] as Certificate, place === path.length - 1);
  for (const { certificate, place } of authorities) {
    const fault = validityFault(certificate, nameAt(place), nowMs);
    if (fault !== undefined) return fault;
  }
  for (const { certificate, place } of authorities) {
    const fault = authorityFault(certificate, path.slice(0, place), place === path.length - 1);
    if (fault !== undefined) return invalid(`${nameAt(place)} ${fault}`);
  }
  return undefined;
}

/** RFC 5280 §6.1.4 k to n, and the name constraints of §6.1.3 b and c, for one authority and all that is below it. */
function authorityFault(
  certificate: Certificate,
  below: readonly Certificate[],
  isAnchor: boolean,
): string | undefined {
  const { basicConstraints, keyUsage, extendedKeyUsage, nameConstraints } = certificate.extensions;
  const own = ownFault(certificate);
  if (own !== undefined) return own;
  // Roots of version 1 came before the flag; being trusted they need it not (RFC 5280 §6.1.4 k).
  const needsFlag = !isAnchor || certificate.version === 3;
  if (needsFlag && basicConstraints?.ca !== true) return "is no certificate authority (basic constraints)";
  const between = below.slice(1).filter((one) => !isSelfIssued(one)).length;
  const allowed = basicConstraints?.pathLength;
  if (allowed !== undefined && between > allowed)
    return `allows ${allowed} intermediate certificates below it, and there are ${between} (path length)`;
  if (keyUsage && !keyUsage.keyCertSign) return "may not sign certificates (its key usage)";
  if (extendedKeyUsage && ![SERVER_AUTH, ANY_USAGE].some((usage) => extendedKeyUsage.includes(usage)))
    return "may not sign certificates of servers (its extended key usage)";
  if (nameConstraints === undefined) return undefined;
  const broken = below.map((one, place) => constraintFault(nameConstraints, one, place === 0)).find((fault) => fault);
  return broken && `has name constraints that are broken: ${broken}`;
}
