import { type Identity, makeAuthority, makeServerIdentity } from "./certificates.ts";

/** What sample gateways can show, all by one authority of this run. */
export interface GatewayIdentities {
  /** The authority's certificate, in PEM: whoever is to trust the gateways trusts this. */
  authority: string;
  good: Identity;
  expired: Identity;
  misnamed: Identity;
}

const DAY_MS = 86_400_000;

/** Certificates for gateways of these names: a good one, one that ended a day ago, and one for another host. */
export function makeGatewayIdentities(names: readonly string[], nowMs: number): GatewayIdentities {
  const authority = makeAuthority("Vedette local stack", nowMs);
  return {
    authority: authority.certificate,
    good: makeServerIdentity(authority, names, nowMs),
    expired: makeServerIdentity(authority, names, nowMs - 2 * DAY_MS, 1),
    misnamed: makeServerIdentity(authority, ["elsewhere.example.test"], nowMs),
  };
}
