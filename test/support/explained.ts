import type { Observation } from "../../shared/model/observation.ts";
import type { RecordDetail } from "../../shared/model/record-detail.ts";
import type { Region } from "../../shared/model/region.ts";
import type { LeafReason, ProbeStatus, RegionStatus } from "../../shared/model/status.ts";
import type { Reason } from "../../shared/reason.ts";

export const LEAF = "198.51.100.20";
export const NOW = Date.UTC(2026, 10, 30, 12, 10);
export const SINCE = Date.UTC(2026, 10, 30, 12, 4, 31);

const seen = (reason: Reason, more: Partial<Observation> = {}): Observation => ({
  reason,
  at: NOW,
  phases: { totalMs: 1 },
  ...more,
});

const region = (name: Region, counts: RegionStatus["counts"], observation?: Observation): RegionStatus => ({
  region: name,
  freshness: "Fresh",
  counts,
  ...(observation && { observation }),
});

/** A region that says unhealthy for a reason, after so many failures. */
export const failing = (name: Region, reason: Reason, failures = 6, more: Partial<Observation> = {}) =>
  region(name, { failures, successes: 0, says: "Unhealthy" }, seen(reason, more));
export const fine = (name: Region) => region(name, { failures: 0, successes: 12, says: "Healthy" }, seen("Ok"));
/** It said unhealthy until now, and found it in order again once. */
export const recovering = (name: Region) => region(name, { failures: 0, successes: 1, says: "Unhealthy" }, seen("Ok"));
export const unheard = (name: Region) => region(name, { failures: 0, successes: 0, says: "Pending" });
export const silent = (one: RegionStatus): RegionStatus => ({ ...one, freshness: "Silent" });
export const awaited = (one: RegionStatus): RegionStatus => ({ ...one, freshness: "Awaited" });

/** A probe of {@link LEAF} with threshold 5, as cluster east has it. */
export function probe(regions: RegionStatus[], more: Partial<ProbeStatus> = {}): ProbeStatus {
  return {
    id: `east/shop/api/${LEAF}`,
    cluster: "east",
    record: "shop/api",
    leaf: LEAF,
    verdict: "Unhealthy",
    since: SINCE,
    consecutiveFailures: 6,
    failureThreshold: 5,
    successThreshold: 2,
    quorum: 2,
    regions,
    advisories: [],
    ...more,
  };
}

export function record(reason: LeafReason, probes: ProbeStatus[], more: Partial<RecordDetail> = {}): RecordDetail {
  const endpoint = { dnsName: "api.example.com", recordType: "A" as const, recordTTL: 60, targets: [LEAF] };
  return {
    rootHost: "api.example.com",
    shares: [{ cluster: "east", record: "shop/api", conditions: [] }],
    whenSilent: "Publish",
    minPublished: 1,
    endpoints: [endpoint],
    wanted: [endpoint],
    leaves: [{ leaf: LEAF, published: !reason.endsWith("Withheld"), reason }],
    probes,
    advisories: [],
    decidedAt: SINCE,
    ...more,
  };
}
