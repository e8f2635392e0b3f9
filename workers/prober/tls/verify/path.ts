import type { RootStore } from "../roots.ts";
import type { TlsFault } from "../tls-error.ts";
import { type Certificate, isSameAuthority, isSelfIssued, sameOctets } from "./certificate.ts";
import { isSignedByOnce } from "./certificate-cache.ts";
import { nameText } from "./name.ts";
import { authorityText, invalid, LEAF } from "./rules.ts";

const MAX_DEPTH = 10;
/** Issuers tried in one search: a server may send many certificates of one name, and each may cost a millisecond. */
const MAX_STEPS = 100;

/** The rules that a whole path (leaf first, anchor last) has to keep; undefined when it does. */
type Rules = (path: readonly Certificate[]) => TlsFault | undefined;

/**
 * Finds a path from the leaf to a trust anchor that keeps the rules, whatever the order of the certificates that were sent (RFC
 * 4158). Anchors are tried first. So a root that was sent along, or its expired cross-certificate, does no harm. After a failed
 * path the next is tried. When none holds, the fault is that of the first that reached an anchor, else it tells where the longest
 * one ended.
 */
export function findPath(
  leaf: Certificate,
  sent: readonly Certificate[],
  roots: RootStore,
  rules: Rules,
): { path: readonly Certificate[] } | { fault: TlsFault } {
  const search = new Search(sent, roots, rules);
  const path = search.from(leaf);
  return path === undefined ? { fault: search.fault() } : { path };
}

class Search {
  readonly #sent: readonly Certificate[];
  readonly #roots: RootStore;
  readonly #rules: Rules;
  #steps = 0;
  #broken: TlsFault | undefined;
  #end: DeadEnd | undefined;

  constructor(sent: readonly Certificate[], roots: RootStore, rules: Rules) {
    this.#sent = sent;
    this.#roots = roots;
    this.#rules = rules;
  }

  fault(): TlsFault {
    if (this.#broken !== undefined) return this.#broken;
    return deadEndFault(this.#end, this.#steps > MAX_STEPS);
  }

  /** A leaf that is itself trusted needs no issuer: how a single self-signed certificate is trusted. */
  from(leaf: Certificate): readonly Certificate[] | undefined {
    const isAnchor = this.#roots.find(leaf.subject).some(({ der }) => sameOctets(der, leaf.der));
    return isAnchor ? this.#kept([leaf]) : this.#extend([leaf]);
  }

  #extend(path: readonly Certificate[]): readonly Certificate[] | undefined {
    const last = path.at(-1) as Certificate;
    const anchors = this.#roots.find(last.issuer);
    const sent = this.#sent.filter(
      (one) => sameOctets(one.subject, last.issuer) && !path.some((p) => isSameAuthority(p, one)),
    );
    let signers = 0;
    for (const issuer of [...byKeyId(anchors, last), ...byKeyId(sent, last)]) {
      if (!this.#signed(path, issuer)) continue;
      signers += 1;
      const found = this.#follow([...path, issuer], anchors.includes(issuer));
      if (found !== undefined) return found;
    }
    if (signers === 0) this.#ended({ path, named: anchors[0] ?? sent[0] });
    return undefined;
  }

  #follow(path: readonly Certificate[], isComplete: boolean): readonly Certificate[] | undefined {
    if (isComplete) return this.#kept(path);
    return path.length < MAX_DEPTH ? this.#extend(path) : undefined;
  }

  #signed(path: readonly Certificate[], issuer: Certificate): boolean {
    this.#steps += 1;
    if (this.#steps > MAX_STEPS) return false;
    const last = path.at(-1) as Certificate;
    if (last.algorithm.kind !== "refused") return isSignedByOnce(last, issuer);
    const who = path.length === 1 ? LEAF : authorityText(last, false);
    this.#broken ??= invalid(`${who} is signed with ${last.algorithm.name}, which is not accepted`);
    return false;
  }

  #kept(path: readonly Certificate[]): readonly Certificate[] | undefined {
    const fault = this.#rules(path);
    if (fault === undefined) return path;
    this.#broken ??= fault;
    return undefined;
  }

  #ended(end: DeadEnd): void {
    if (this.#end === undefined || end.path.length > this.#end.path.length) this.#end = end;
  }
}

/** Those first whose key id is the one that the certificate names: a hint only (RFC 5280 §4.2.1.1). */
function byKeyId(issuers: readonly Certificate[], { extensions }: Certificate): Certificate[] {
  const isNamed = (one: Certificate) => sameOctets(one.extensions.subjectKeyId, extensions.authorityKeyId);
  return [...issuers.filter(isNamed), ...issuers.filter((one) => !isNamed(one))];
}

/** Where a search for a trust anchor ended: the path so far, and an issuer of the right name whose key did not fit. */
export interface DeadEnd {
  path: readonly Certificate[];
  named: Certificate | undefined;
}

const PRIVATE = "a private authority is trusted by the setting EXTRA_ROOTS";
const OTHER_KEY = "the certificate known by that name has another key";

/** Explains why a chain leads to no trusted root, and what may fix it. */
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
