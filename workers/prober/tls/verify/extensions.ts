import { children, context, type Der, expectTag, Malformed, readDer, TAG } from "./der.ts";
import { type GeneralName, readGeneralName, readGeneralNames } from "./name.ts";
import { readBits, readBoolean, readCount, readOid } from "./values.ts";

export interface Extensions {
  basicConstraints?: { ca: boolean; pathLength?: number };
  keyUsage?: { digitalSignature: boolean; keyCertSign: boolean };
  /** Object identifiers. */
  extendedKeyUsage?: string[];
  subjectNames?: GeneralName[];
  nameConstraints?: NameConstraints;
  subjectKeyId?: Uint8Array;
  authorityKeyId?: Uint8Array;
  /** Object identifiers of critical ones that nothing here processes (RFC 5280 §4.2: the certificate is refused). */
  unknownCritical: string[];
}
export interface NameConstraints {
  permitted: GeneralName[];
  excluded: GeneralName[];
}

type Reader = (value: Der) => Omit<Extensions, "unknownCritical">;

/** By the last arc of `2.5.29` (RFC 5280 §4.2.1). */
const READERS: Partial<Record<string, Reader>> = {
  "2.5.29.14": (value) => ({ subjectKeyId: expectTag(value, TAG.octetString).content }),
  "2.5.29.15": (value) => ({ keyUsage: readKeyUsage(value) }),
  "2.5.29.17": (value) => ({ subjectNames: readGeneralNames(value) }),
  "2.5.29.19": (value) => ({ basicConstraints: readBasicConstraints(value) }),
  "2.5.29.30": (value) => ({ nameConstraints: readNameConstraints(value) }),
  "2.5.29.35": readAuthorityKeyId,
  "2.5.29.37": (value) => ({ extendedKeyUsage: children(expectTag(value, TAG.sequence)).map(readOid) }),
};
/**
 * Policies, their mappings and inhibitAnyPolicy matter only where policyConstraints requires a policy (RFC 5280 §6.1.3 d to f). A
 * critical policyConstraints is refused, so these need no processing.
 */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set(["2.5.29.32", "2.5.29.33", "2.5.29.54"]);
const SHA256_OCTETS = 32;
/** An address of IPv4 or IPv6 and a mask as long. */
const IP_CONSTRAINT_OCTETS: ReadonlySet<number> = new Set([8, 32]);

export function readExtensions(list: Der | undefined): Extensions {
  const found: Extensions = { unknownCritical: [] };
  const seen = new Set<string>();
  for (const extension of list === undefined ? [] : children(expectTag(list, TAG.sequence))) {
    const parts = children(expectTag(extension, TAG.sequence));
    if (parts.length > 3) throw new Malformed("an extension has more than three parts");
    const name = readOid(parts[0]);
    if (seen.has(name)) throw new Malformed(`extension ${name} is there twice`);
    seen.add(name);
    const critical = parts.length === 3 && readBoolean(expectTag(parts[1], TAG.boolean));
    const value = expectTag(parts.at(-1), TAG.octetString).content;
    const read = READERS[name];
    if (read !== undefined) Object.assign(found, read(readDer(value)));
    else if (critical && !WITHOUT_EFFECT.has(name)) found.unknownCritical.push(name);
  }
  return found;
}

function readBasicConstraints(value: Der): { ca: boolean; pathLength?: number } {
  const parts = children(expectTag(value, TAG.sequence));
  const ca = parts[0]?.tag === TAG.boolean && readBoolean(parts[0]);
  const length = parts[0]?.tag === TAG.boolean ? parts[1] : parts[0];
  return length === undefined ? { ca } : { ca, pathLength: readCount(expectTag(length, TAG.integer).content) };
}

function readKeyUsage(value: Der): { digitalSignature: boolean; keyCertSign: boolean } {
  const bits = readBits(value).octets[0] ?? 0;
  return { digitalSignature: (bits & 0x80) !== 0, keyCertSign: (bits & 0x04) !== 0 };
}

/** A hint for finding the issuer, nothing more; only ids of a plausible length are worth keeping. */
function readAuthorityKeyId(value: Der): { authorityKeyId?: Uint8Array } {
  const id = children(expectTag(value, TAG.sequence)).find(({ tag }) => tag === context(0, false));
  return id === undefined || id.content.length > SHA256_OCTETS ? {} : { authorityKeyId: id.content };
}

/** RFC 5280 §4.2.1.10. */
function readNameConstraints(value: Der): NameConstraints {
  const parts = children(expectTag(value, TAG.sequence));
  const subtrees = (number: number) =>
    parts.filter(({ tag }) => tag === context(number, true)).flatMap((list) => children(list).map(readSubtree));
  const constraints = { permitted: subtrees(0), excluded: subtrees(1) };
  if (constraints.permitted.length + constraints.excluded.length === 0)
    throw new Malformed("name constraints are empty");
  return constraints;
}

function readSubtree(subtree: Der): GeneralName {
  const [base, ...bounds] = children(expectTag(subtree, TAG.sequence));
  // minimum is 0 by default and has no other value; maximum is absent.
  if (base === undefined || bounds.length > 0) throw new Malformed("a name constraint has bounds, or no base");
  const name = readGeneralName(base);
  if (name.kind === "ip" && !IP_CONSTRAINT_OCTETS.has(name.octets.length))
    throw new Malformed("a name constraint is no address and mask");
  return name;
}
