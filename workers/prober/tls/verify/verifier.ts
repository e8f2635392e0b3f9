import type { KeyObject } from "node:crypto";
import type { RootStore } from "../roots.ts";
import type { TlsFault } from "../tls-error.ts";
import { type Certificate, sameOctets } from "./certificate.ts";
import { readCertificate } from "./certificate-cache.ts";
import { isFor, namesText } from "./host-name.ts";
import { findPath } from "./path.ts";
import { invalid, LEAF, leafFault, pathFault, validityFault } from "./rules.ts";
import { keyOf } from "./signature.ts";

export interface CertificateVerdict {
  /** Certificate reasons only; absent where the certificate is good. */
  fault?: TlsFault;
  /** For CertificateVerify; absent where the leaf or its key cannot be read. `notAfter` in Unix ms. */
  leaf?: { publicKey: KeyObject; notAfter: number };
  /** The earliest notAfter in the path that verified, else that of the leaf; Unix ms. */
  expiresAt?: number;
}

/** `chain` in DER, leaf first, as the server sent it; `host` a name or an IP address. Never throws. */
export type Verify = (chain: readonly Uint8Array[], host: string, nowMs: number) => CertificateVerdict;

/** What a server sends beyond this is not looked at. */
const MAX_SENT = 32;

/**
 * Verifies certificates as browsers do (RFC 5280 §6, RFC 9525). Where several things are wrong, the reason is that of the
 * first here, and the message tells the others too:
 * 1. the name, since another host's certificate says nothing about the right one (a gateway's default, often self-signed);
 * 2. the leaf's validity, what most often goes wrong;
 * 3. rules about the leaf itself; 4. the path to a trusted root, as findPath tells it.
 *
 * Revocation and certificate transparency are not looked at.
 */
export function makeVerifier(roots: RootStore): Verify {
  return (chain, host, nowMs) => {
    const [first, ...rest] = chain;
    if (first === undefined) return { fault: invalid("the server sent no certificate") };
    const leaf = readCertificate(first);
    if ("malformed" in leaf) return { fault: invalid(`${LEAF} is malformed: ${leaf.malformed}`) };
    const publicKey = keyOf(leaf);
    const sent = readSent(rest, first);
    const found = findPath(leaf, sent.certificates, roots, (path) => pathFault(path, nowMs));
    const fault = combined([
      isFor(leaf, host) ? undefined : wrongName(leaf, host),
      validityFault(leaf, LEAF, nowMs),
      leafFault(leaf) ?? (publicKey === undefined ? invalid(`${LEAF} has a key that cannot be used`) : undefined),
      "fault" in found ? (sent.malformed ?? found.fault) : undefined,
    ]);
    const path = "path" in found ? found.path : [leaf];
    return {
      ...(fault && { fault }),
      ...(publicKey && { leaf: { publicKey, notAfter: leaf.notAfterMs } }),
      expiresAt: Math.min(...path.map(({ notAfterMs }) => notAfterMs)),
    };
  };
}

/** Each certificate once; one that is malformed is in nobody's way unless the path fails without it. */
function readSent(chain: readonly Uint8Array[], leaf: Uint8Array) {
  const certificates: Certificate[] = [];
  let malformed: TlsFault | undefined;
  for (const der of chain.slice(0, MAX_SENT)) {
    if (sameOctets(der, leaf) || certificates.some((one) => sameOctets(one.der, der))) continue;
    const read = readCertificate(der);
    if (!("malformed" in read)) certificates.push(read);
    else malformed ??= invalid(`a certificate sent with the server's is malformed: ${read.malformed}`);
  }
  return { certificates, malformed };
}

function wrongName(leaf: Certificate, host: string): TlsFault {
  return { reason: "CertificateNameMismatch", message: `${LEAF} is for ${namesText(leaf)}, not for ${host}` };
}

function combined(all: readonly (TlsFault | undefined)[]): TlsFault | undefined {
  const [first, ...others] = all.filter((fault) => fault !== undefined);
  return first && { ...first, message: [first, ...others].map(({ message }) => message).join("; besides, ") };
}
