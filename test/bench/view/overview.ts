import type { Overview, RecordSummary } from "../../../shared/model/overview.ts";
import { REGIONS, type Region } from "../../../shared/model/region.ts";

export const WATCHING: readonly Region[] = REGIONS.slice(0, 9);
/** One record in this many has a fault. */
const TROUBLE_EVERY = 50;
const AT = Date.UTC(2026, 0, 1);

/** A record with three addresses, one of them withheld in every fiftieth. Every other one has a "g" in its name, and nothing else has. */
export function summary(index: number, at = AT): RecordSummary {
  const isTroubled = index % TROUBLE_EVERY === 0;
  const addresses = [1, 2, 3].map((last) => `198.51.${100 + (index >> 8)}.${(index % 64) * 4 + last}`);
  return {
    rootHost: `${index % 2 === 0 ? "blog" : "shop"}-${index}.example.com`,
    state: isTroubled ? "Degraded" : "Healthy",
    clusters: ["east", "west"],
    leaves: addresses.map((leaf, place) =>
      isTroubled && place === 0
        ? {
            leaf,
            published: false,
            reason: "UnhealthyWithheld",
            verdict: "Unhealthy",
            since: at,
            against: { regions: WATCHING.slice(0, 5), of: WATCHING.length, saw: ["connect timeout"] },
          }
        : { leaf, published: true, reason: "Healthy", verdict: "Healthy", since: at },
    ),
    regions: WATCHING.map((region, place) => ({
      region,
      says: isTroubled && place < 5 ? "Unhealthy" : "Healthy",
      unhealthy: isTroubled && place < 5 ? 1 : 0,
      probes: 3,
    })),
    decidedAt: at,
  };
}

export function overviewOf(records: number, now: number): Overview {
  return {
    at: now,
    partitions: 1,
    role: "viewer",
    addressesHidden: false,
    records: Array.from({ length: records }, (_, index) => summary(index)),
    regions: WATCHING.map((region) => ({
      region,
      shards: 4,
      silentShards: 0,
      probes: records * 3,
      colos: ["AMS", "FRA"],
      lastReportAt: now,
      lateMs: 40,
      suspect: false,
    })),
    clusters: ["east", "west"].map((cluster) => ({
      cluster,
      records,
      reachable: true,
      failures: 0,
      backlog: false,
      lastSnapshotAt: now,
      lastDeliveryAt: now,
      conditions: [],
    })),
  };
}
