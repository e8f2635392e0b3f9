import type { TlsFault } from "../fault.ts";
import { type Certificate, isSelfIssued } from "./certificate.ts";
import { nameText } from "./name.ts";

/** Where a search for a trust anchor ended: the path so far, and an issuer of the right name whose key did not fit. */
export interface DeadEnd {
  path: readonly Certificate[];
  named: Certificate | undefined;
}

const PRIVATE = "a private authority is trusted by the setting EXTRA_ROOTS";
const OTHER_KEY = "the certificate known by that name has another key";

/** Says of a chain that leads to no trusted root why it does not, and what may mend it. */
export function deadEndFault(end: DeadEnd | undefined, gaveUp: boolean): TlsFault {
  return { reason: "CertificateUntrusted", message: gaveUp ? "the chain is too tangled to follow" : endText(end) };
}

function endText(end: DeadEnd | undefined): string {
  const last = end?.path.at(-1);
  if (end === undefined || last === undefined) return "the chain is too long to follow";
  const issuer = `"${nameText(last.issuer)}"`;
  const isLeaf = end.path.length === 1;
  if (isSelfIssued(last)) {
    const what = isLeaf ? "the certificate is self-signed, by" : "the chain ends at the root";
    return `${what} ${issuer}, which is not trusted; ${end.named === undefined ? PRIVATE : OTHER_KEY}`;
  }
  const who = isLeaf ? "the certificate" : `the intermediate certificate "${nameText(last.subject)}"`;
  if (end.named !== undefined) return `${who} names ${issuer} as its issuer; ${OTHER_KEY}`;
  return `${who} was issued by ${issuer}, which is neither trusted nor sent by the server: an intermediate certificate may be missing in what it sends; ${PRIVATE}`;
}
