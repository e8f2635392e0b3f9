import type { RecordSpecInput } from "../../../shared/model/record.ts";
import type { Targets } from "./addresses.ts";
import { setIdentifierOf } from "./naming.ts";

type EndpointInput = RecordSpecInput["endpoints"][number];

/** Sets of one name need weights; without one of the policy all weigh the same. */
const EQUAL_WEIGHT = 100;

export interface EndpointSettings {
  /** Seconds. */
  recordTTL: number;
  /** 0 to 255; where it is set, also a single host name becomes a weighted set. */
  weight?: number | undefined;
}

/**
 * The record sets that lead from a host to its targets: A and AAAA for addresses; for host names a CNAME, or one weighted
 * set for each. A name cannot have both, so that beside addresses host names are left out.
 */
export function endpointsOf(rootHost: string, { ips, hosts }: Targets, settings: EndpointSettings): EndpointInput[] {
  const base = { dnsName: rootHost, recordTTL: settings.recordTTL };
  if (ips.length > 0) {
    const [v6, v4] = [ips.filter((ip) => ip.includes(":")), ips.filter((ip) => !ip.includes(":"))];
    return [
      ...(v4.length > 0 ? [{ ...base, recordType: "A" as const, targets: v4 }] : []),
      ...(v6.length > 0 ? [{ ...base, recordType: "AAAA" as const, targets: v6 }] : []),
    ];
  }
  const isPlain = hosts.length === 1 && settings.weight === undefined;
  const weight = { name: "aws/weight", value: String(settings.weight ?? EQUAL_WEIGHT) };
  return hosts.map((host) => ({
    ...base,
    recordType: "CNAME" as const,
    targets: [host],
    ...(!isPlain && { setIdentifier: setIdentifierOf(host), providerSpecific: [weight] }),
  }));
}
