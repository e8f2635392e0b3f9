import { makeKeyShare } from "./key-share.ts";
import { type GroupName, SUITES, type SuiteName, type VersionName } from "./parameters.ts";
import type { SchemeName } from "./signature.ts";

/** What the ClientHello offers, in order of preference. */
export interface Offer {
  versions: readonly VersionName[];
  suites: readonly SuiteName[];
  groups: readonly GroupName[];
  /** The groups of `groups` that a key share is sent for at once; the others cost a HelloRetryRequest. */
  keyShares: readonly GroupName[];
  signatureSchemes: readonly SchemeName[];
  extendedMasterSecret: boolean;
}

/**
 * As browsers do: no SHA-1, no CBC, no RSA key exchange. Ed25519 is more than they offer; rsa_pss_pss_* they leave out too,
 * since nobody issues such certificates.
 */
export const DEFAULT_OFFER: Offer = {
  versions: ["TLSv1.3", "TLSv1.2"],
  suites: SUITES.map((suite) => suite.name),
  // secp521r1 is for TLS 1.2, where this list also bounds the keys of certificates (RFC 8422 §5.1.1).
  groups: ["x25519", "secp256r1", "secp384r1", "secp521r1"],
  keyShares: ["x25519", "secp256r1"],
  signatureSchemes: [
    "ecdsa_secp256r1_sha256",
    "rsa_pss_rsae_sha256",
    "rsa_pkcs1_sha256",
    "ecdsa_secp384r1_sha384",
    "rsa_pss_rsae_sha384",
    "rsa_pkcs1_sha384",
    "ecdsa_secp521r1_sha512",
    "rsa_pss_rsae_sha512",
    "rsa_pkcs1_sha512",
    "ed25519",
  ],
  extendedMasterSecret: true,
};

/** The default offer, as far as this runtime can keep it. */
export function defaultOffer(): Offer {
  const groups = usableGroups(DEFAULT_OFFER.groups);
  return { ...DEFAULT_OFFER, groups, keyShares: groups.slice(0, DEFAULT_OFFER.keyShares.length) };
}

const TRIED = new Map<GroupName, boolean>();

/**
 * The groups in which this runtime's own two sides agree, tried once an isolate. One that it computes wrongly is not offered.
 * Otherwise a fault of ours would look like a bad key share of every server. @throws where none is left
 */
export function usableGroups(groups: readonly GroupName[], make = makeKeyShare, tried = TRIED): GroupName[] {
  const left = groups.filter((group) => {
    if (!tried.has(group)) tried.set(group, doAgree(group, make));
    return tried.get(group);
  });
  if (left.length === 0) throw new Error(`the runtime can do none of the key exchanges ${groups.join(", ")}`);
  return left;
}

function doAgree(group: GroupName, make: typeof makeKeyShare): boolean {
  try {
    const [own, peer] = [make(group), make(group)];
    return Buffer.from(own.agree(peer.publicKey)).equals(peer.agree(own.publicKey));
  } catch {
    return false;
  }
}
