import type { TlsReason } from "../../workers/prober/tls/tls-error.ts";
import { HOST } from "./family.ts";
import type { Issued } from "./issue.ts";

/** A chain that a server may send, and the expected result. All certificates in PEM. */
export interface Case {
  title: string;
  /** Leaf first. */
  chain: string[];
  host: string;
  /** Trusted beside the family's root. */
  roots: string[];
  /** Absent: it is accepted. */
  fault?: { reason: TlsReason; says: string };
}

type Change = { host?: string; roots?: Issued[] };

export function good(title: string, chain: Issued[], { host = HOST, roots = [] }: Change = {}): Case {
  return { title, chain: pems(chain), host, roots: pems(roots) };
}

/** `says`: a part of the message. */
export function bad(title: string, reason: TlsReason, says: string, chain: Issued[], change: Change = {}): Case {
  return { ...good(title, chain, change), fault: { reason, says } };
}

const pems = (issued: Issued[]) => issued.map(({ certificate }) => certificate);
