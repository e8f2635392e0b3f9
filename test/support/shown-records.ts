import { REGIONS, type Region } from "../../shared/model/region.ts";
import type { ProbeStatus, RecordStatus, RegionStatus } from "../../shared/model/status.ts";

const NOW = Date.UTC(2026, 10, 30);
const DAY_MS = 86_400_000;

/** How many there are to be of what; all probes are HTTPS and healthy. */
export interface Shown {
  records: number;
  leaves: number;
  regions: number;
}

/** Records as coordinators tell of them, with latencies that differ, as real ones do. */
export function shownRecords({ records, leaves, regions }: Shown): RecordStatus[] {
  return Array.from({ length: records }, (_, n) => shownRecord(n, leaves, REGIONS.slice(0, regions)));
}

function shownRecord(n: number, leaves: number, regions: readonly Region[]): RecordStatus {
  const name = `service-${String(n).padStart(4, "0")}`;
  const rootHost = `${name}.example.com`;
  const addresses = Array.from({ length: leaves }, (_, leaf) => `198.51.${n % 256}.${leaf + 1}`);
  return {
    rootHost,
    shares: [{ cluster: "europe-west", record: `shop/${name}`, generation: 1, conditions: [] }],
    whenSilent: "Publish",
    endpoints: [{ dnsName: rootHost, recordType: "A", recordTTL: 60, targets: addresses }],
    leaves: addresses.map((leaf) => ({ leaf, published: true, reason: "Healthy" })),
    probes: addresses.map((leaf, at) => shownProbe(`shop/${name}`, leaf, n * leaves + at, regions)),
    advisories: [],
    decidedAt: NOW - n,
  };
}

function shownProbe(record: string, leaf: string, seed: number, regions: readonly Region[]): ProbeStatus {
  return {
    id: `europe-west/${record}/${leaf}`,
    cluster: "europe-west",
    record,
    leaf,
    verdict: "Healthy",
    since: NOW - DAY_MS,
    provenAt: NOW - DAY_MS,
    consecutiveFailures: 0,
    failureThreshold: 5,
    successThreshold: 2,
    quorum: Math.floor(regions.length / 2) + 1,
    regions: regions.map((region, at) => shownWord(region, seed * 7919 + at * 104_729)),
    advisories: [],
  };
}

function shownWord(region: Region, seed: number): RegionStatus {
  const connectMs = 5 + (seed % 180);
  const tlsMs = connectMs * 2 + (seed % 7);
  const firstByteMs = tlsMs + connectMs + (seed % 53);
  return {
    region,
    freshness: "Fresh",
    counts: { failures: 0, successes: 40 + (seed % 60), says: "Healthy" },
    checkedAt: NOW - (seed % 30_000),
    colo: "FRA",
    observation: {
      reason: "Ok",
      at: NOW - (seed % 30_000),
      phases: { connectMs, tlsMs, firstByteMs, totalMs: firstByteMs + (seed % 5) },
      httpStatus: 200,
      tls: { version: "TLSv1.3", cipherSuite: "TLS_AES_128_GCM_SHA256", expiresAt: NOW + 60 * DAY_MS },
    },
  };
}
