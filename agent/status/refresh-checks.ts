import type { DeliveredProbe, DeliveredRecord } from "../edge/delivered.ts";
import type { View } from "../edge/view.ts";
import { ownProbes } from "./own-probes.ts";
import { probeSummaries } from "./record-status.ts";
import type { State } from "./state.ts";

/**
 * Updates regions, counts and check times from a view of the edge. It changes only what is shown, never DNS. It ignores
 * the view of another edge, a probe with another verdict, and older checks. It does not compare delivery numbers: while
 * anything flaps, the view always belongs to another delivery than the last one.
 */
export function refreshChecks(state: State, view: View): State {
  if (view.cluster !== state.edge.cluster || view.number.epoch !== state.number.epoch) return state;
  const seen = new Map(view.probes.map((probe) => [identityOf(probe), probe]));
  const hosts = Object.entries(state.hosts).map(([rootHost, host]) => {
    const delivered = host.delivered && refreshedRecord(host.delivered, seen);
    return [rootHost, { ...host, ...(delivered && { delivered }) }] as const;
  });
  const next = { ...state, hosts: Object.fromEntries(hosts) };
  return { ...next, records: refreshedSummaries(next) };
}

/**
 * Keeps newer checks from a view in a delivered record, for probes that are otherwise unchanged. So check times never
 * go back.
 */
export function withNewestChecks(delivered: DeliveredRecord, before: DeliveredRecord | undefined): DeliveredRecord {
  const held = new Map(before?.probes.map((probe) => [identityOf(probe), probe]));
  const probes = delivered.probes.map((probe) => {
    const known = held.get(identityOf(probe));
    if (known === undefined || !isOlder(probe, known)) return probe;
    return { ...probe, regions: known.regions, consecutiveFailures: known.consecutiveFailures };
  });
  return { ...delivered, probes };
}

/** Whether the regions have the same verdicts and freshness in both, and no region has a newer check. */
function isOlder({ regions }: DeliveredProbe, known: DeliveredProbe): boolean {
  const byName = new Map(known.regions.map((region) => [region.region, region]));
  if (regions.length !== known.regions.length) return false;
  return regions.every(({ region, freshness, counts, checkedAt = 0 }) => {
    const held = byName.get(region);
    return held?.freshness === freshness && held.counts.says === counts.says && (held.checkedAt ?? 0) >= checkedAt;
  });
}

function refreshedRecord(record: DeliveredRecord, seen: ReadonlyMap<string, DeliveredProbe>): DeliveredRecord {
  const probes = record.probes.map((probe) => {
    const now = seen.get(identityOf(probe));
    if (now === undefined || newestCheck(now) < newestCheck(probe)) return probe;
    return { ...probe, regions: now.regions, consecutiveFailures: now.consecutiveFailures };
  });
  return { ...record, probes };
}

const newestCheck = ({ regions }: DeliveredProbe) => Math.max(0, ...regions.map(({ checkedAt = 0 }) => checkedAt));

function refreshedSummaries(state: State): State["records"] {
  const records = Object.entries(state.records).map(([key, record]) => {
    const { delivered } = state.hosts[record.status.rootHost] ?? {};
    const share = { cluster: state.edge.cluster, record: key };
    return [key, { ...record, status: { ...record.status, probes: probeSummaries(ownProbes(delivered, share)) } }];
  });
  return Object.fromEntries(records);
}

const identityOf = ({ cluster, record, leaf, verdict, since }: DeliveredProbe) =>
  JSON.stringify([cluster, record, leaf, verdict, since]);
