import { DNS_ENDPOINT } from "../kubernetes/kinds.ts";
import type { KubeObject } from "../kubernetes/object.ts";
import { isManagedByUs } from "../kubernetes/ours.ts";
import type { OwnRecord } from "../source/collect.ts";
import type { State } from "../status/state.ts";
import type { KeptObject, WantedObject } from "../writer/desired.ts";
import { labelsOf } from "./labels.ts";
import { ownedBy } from "./owner.ts";

/**
 * For each root host the `DNSEndpoint` that external-dns is to publish: what is served, no more and no less. It is named as, and
 * owned by, the oldest record of the host. While nobody has decided a host, what is there stays; one of which nothing is to be
 * in DNS has none. `records` have the specs in force.
 */
export function endpointObjects(records: readonly OwnRecord[], hosts: State["hosts"]): (WantedObject | KeptObject)[] {
  const byHost = Map.groupBy(records, ({ spec }) => spec.rootHost);
  return [...byHost].flatMap(([rootHost, ofHost]): (WantedObject | KeptObject)[] => {
    const served = hosts[rootHost]?.served;
    if (served === undefined) return ofHost.map(kept);
    const [holder] = ofHost.toSorted(byAge);
    return holder === undefined || served.length === 0 ? [] : [wanted(holder, served)];
  });
}

/** The order in which records speak for their root host: the oldest first, and of several as old by key. */
export function byAge(a: Pick<OwnRecord, "key" | "createdAt">, b: Pick<OwnRecord, "key" | "createdAt">): number {
  const bornAt = ({ createdAt }: Pick<OwnRecord, "createdAt">) =>
    createdAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(createdAt);
  return compare(bornAt(a), bornAt(b)) || compare(a.key, b.key);
}

const compare = <Value>(a: Value, b: Value) => (a < b ? -1 : a > b ? 1 : 0);

/** Whether a DNSEndpoint is one that we made for this record. */
export function isHeldBy({ metadata }: KubeObject, { uid }: Pick<OwnRecord, "uid">): boolean {
  return (
    isManagedByUs(metadata) && uid !== undefined && (metadata.ownerReferences ?? []).some((owner) => owner.uid === uid)
  );
}

const kept = ({ namespace, name }: OwnRecord): KeptObject => ({
  type: "Kept",
  kind: DNS_ENDPOINT,
  ref: { namespace, name },
});

function wanted(holder: OwnRecord, endpoints: readonly object[]): WantedObject {
  const { apiVersion, kind } = DNS_ENDPOINT;
  const { name, namespace } = holder;
  const owner = ownedBy(holder);
  const metadata = { name, namespace, labels: labelsOf(name), ...(owner && { ownerReferences: [owner] }) };
  return { type: "Object", kind: DNS_ENDPOINT, object: { apiVersion, kind, metadata, spec: { endpoints } } };
}
