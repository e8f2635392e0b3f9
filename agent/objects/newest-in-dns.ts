import type { Endpoint } from "../../shared/model/endpoint.ts";
import { type KubeObject, refKey } from "../kubernetes/object.ts";
import type { State } from "../status/state.ts";
import { decidedAtOf } from "./endpoint-object.ts";
import { heldBy } from "./load-host.ts";

/**
 * The state, with what DNSEndpoints hold that was decided later than what the statuses say: a leader that was killed had put it
 * into DNS, and the decision before would put back what was taken out. Why it was decided nobody knows until the edge says it
 * again, and whose the leaves are stays as it was.
 *
 * What was decided after the newest delivery of which the state knows came with a later one: silence that was found has ended.
 */
export function withNewestInDns(state: State, endpoints: readonly KubeObject[]): State {
  const hosts = { ...state.hosts };
  let { silent } = state;
  for (const { rootHost, served, decidedAt } of endpoints.flatMap((object) => inDnsBy(object, state) ?? [])) {
    const { delivered } = hosts[rootHost] ?? {};
    if (delivered === undefined) continue;
    silent &&= decidedAt <= state.sentAt;
    if (decidedAt <= delivered.decidedAt) continue;
    hosts[rootHost] = { served, delivered: { ...delivered, endpoints: served, decidedAt, leaves: [] } };
  }
  return { ...state, hosts, silent };
}

interface InDns {
  rootHost: string;
  served: Endpoint[];
  decidedAt: number;
}

/** Undefined where the object is none of a record that stands, or does not say when it was decided. */
function inDnsBy(object: KubeObject, { records }: State): InDns | undefined {
  const record = records[refKey(object.metadata)];
  const decidedAt = decidedAtOf(object);
  if (record === undefined || decidedAt === undefined) return undefined;
  const { rootHost } = record.status;
  const served = heldBy(record.manifest, rootHost, object);
  return served && { rootHost, served, decidedAt };
}
