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
  /**
   * All DNSRecords, including those that are being deleted, since the DNSEndpoint of a host may belong to one of them.
   */
  records: readonly KubeObject[];
  endpoints: readonly KubeObject[];
  /** Unix ms, by the clock of this machine. */
  nowMs: number;
}

/**
 * Adds the decisions in DNSEndpoints that are newer than those in the statuses. A leader that was killed had published
 * them, and the older decision would restore what it removed. Their reasons are unknown until the next delivery; the
 * owners of the leaves stay as they were. On a shared host, a leaf that neither a record here nor the status knows is
 * omitted, since a person may have removed it.
 *
 * A decision that is newer than the newest known delivery came with a later one, so the edge is no longer silent. A
 * time too far in the future is ignored, since the signature of such a delivery would not have been valid.
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

/** Undefined if the object belongs to no existing record or has no decision time. */
function inDnsBy(object: KubeObject, record: OwnRecord | undefined, { records }: State): InDns | undefined {
  const decidedAt = decidedAtOf(object);
  if (record === undefined || decidedAt === undefined) return undefined;
  const rootHost = records[record.key]?.status.rootHost ?? record.spec.rootHost;
  const endpoints = endpointsIn(record, rootHost, object);
  return endpoints && { rootHost, endpoints, decidedAt };
}

/** If other clusters share the host, unknown leaves would count as theirs and would stay. */
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
