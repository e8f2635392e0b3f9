import { compareNumbers } from "../../shared/number.ts";
import type { DeliveredProbe, DeliveredRecord } from "../edge/delivered.ts";
import type { View } from "../edge/view.ts";
import { probeSummaries } from "./record-status.ts";
import type { State } from "./state.ts";
import { ownProbes } from "./watched.ts";

/**
 * The state with the regions, counts and times of a view, which is only to be shown: what is in DNS stays. Nothing is taken
 * of a view of other decisions, nor of a probe whose verdict is another one or another's.
 */
export function refreshed(state: State, view: View): State {
  if (view.cluster !== state.edge.cluster || compareNumbers(view.number, state.number) !== 0) return state;
  const seen = new Map(view.probes.map((probe) => [identityOf(probe), probe]));
  const hosts = Object.entries(state.hosts).map(([rootHost, host]) => {
    const delivered = host.delivered && refreshedRecord(host.delivered, seen);
    return [rootHost, { ...host, ...(delivered && { delivered }) }] as const;
  });
  const next = { ...state, hosts: Object.fromEntries(hosts) };
  return { ...next, records: refreshedSummaries(next) };
}

function refreshedRecord(record: DeliveredRecord, seen: ReadonlyMap<string, DeliveredProbe>): DeliveredRecord {
  const probes = record.probes.map((probe) => {
    const { regions, consecutiveFailures } = seen.get(identityOf(probe)) ?? probe;
    return { ...probe, regions, consecutiveFailures };
  });
  return { ...record, probes };
}

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
