import type { Endpoint } from "../../shared/model/endpoint.ts";
import { SIGNATURE_TOLERANCE_MS } from "../../shared/signature.ts";
import type { DeliveredRecord } from "../edge/delivered.ts";
import { type KubeObject, refKey } from "../kubernetes/object.ts";
import { sharesOf } from "../plan/accepted-specs.ts";
import { foreignLeaves, onlyLeaves } from "../plan/filter-owned-targets.ts";
import { decidedAtOf } from "../publish/external-dns/endpoint-object.ts";
import { kubernetesRecords } from "../sources/api-records.ts";
import type { OwnRecord } from "../sources/manifest-file.ts";
import { endpointsIn } from "./restore-state.ts";
import type { State } from "./state.ts";

export interface NewerDecisionsInput {
  /** All DNSRecords, those that are being deleted too: a host may be in DNS in the name of one of them. */
  records: readonly KubeObject[];
  endpoints: readonly KubeObject[];
  /** Unix ms, by the clock of this machine. */
  nowMs: number;
}

/**
 * The state, with what DNSEndpoints hold that was decided later than what the statuses say: a leader that was killed had put it
 * into DNS, and the decision before would put back what was taken out. Why it was decided nobody knows until the edge says it
 * again, and whose the leaves are stays as it was. Of a shared host, a leaf that is in no record here and that the status knows
 * nothing of may be one that a person has taken out since, and is left out.
 *
 * What was decided after the newest delivery of which the state knows came with a later one: silence that was found has ended. A
 * time that no delivery can have been taken at, whose signature holds only near this clock, is nobody's decision.
 */
export function withNewerDecisions(state: State, { records, endpoints, nowMs }: NewerDecisionsInput): State {
  const byKey = new Map(allRecords(records).map((record) => [record.key, record]));
  const staying = [...byKey.values()].filter(({ key }) => state.records[key] !== undefined);
  const shares = sharesOf(staying, state.records);
  const hosts = { ...state.hosts };
  let { silent } = state;
  for (const object of endpoints) {
    const inDns = inDnsBy(object, byKey.get(refKey(object.metadata)), state);
    if (inDns === undefined || inDns.decidedAt > nowMs + SIGNATURE_TOLERANCE_MS) continue;
    const { rootHost, decidedAt } = inDns;
    const host = hosts[rootHost];
    if (host?.delivered === undefined) continue;
    silent &&= decidedAt <= state.sentAt;
    if (decidedAt <= host.delivered.decidedAt) continue;
    const own = (shares.get(rootHost) ?? []).flatMap((share) => share.endpoints);
    const known = knownOf(inDns.endpoints, host.delivered, own, state.edge.cluster);
    hosts[rootHost] = { ...host, delivered: { ...host.delivered, endpoints: known, decidedAt, leaves: [] } };
  }
  return { ...state, hosts, silent };
}

function allRecords(records: readonly KubeObject[]): OwnRecord[] {
  const nothing = () => undefined;
  return kubernetesRecords({ records, isMember: () => true, secretAt: nothing, secretError: nothing, before: [] })
    .records;
}

interface InDns {
  rootHost: string;
  endpoints: Endpoint[];
  decidedAt: number;
}

/** Undefined where the object is none of a record that is there, or does not say when it was decided. */
function inDnsBy(object: KubeObject, record: OwnRecord | undefined, { records }: State): InDns | undefined {
  const decidedAt = decidedAtOf(object);
  if (record === undefined || decidedAt === undefined) return undefined;
  const rootHost = records[record.key]?.status.rootHost ?? record.spec.rootHost;
  const endpoints = endpointsIn(record, rootHost, object);
  return endpoints && { rootHost, endpoints, decidedAt };
}

/** Where others have shares, what this cluster does not probe would count as theirs, and stay. */
function knownOf(
  inDns: readonly Endpoint[],
  delivered: DeliveredRecord,
  own: readonly Endpoint[],
  cluster: string,
): Endpoint[] {
  if (foreignLeaves(delivered, cluster) === undefined) return [...inDns];
  const leaves = [...delivered.endpoints, ...own].flatMap(({ targets }) => targets);
  return onlyLeaves(inDns, new Set([...leaves, ...delivered.probes.map(({ leaf }) => leaf)]));
}
