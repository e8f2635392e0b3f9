import { contains } from "../../apply/compare.ts";
import type { KeptObject, WantedObject } from "../../apply/desired.ts";
import { DNS_ENDPOINT } from "../../kubernetes/kinds.ts";
import { ownerReference, recordLabels } from "../../kubernetes/metadata.ts";
import { isManagedByUs, type KubeObject, type ObjectRef } from "../../kubernetes/object.ts";
import { parseTime, rfc3339 } from "../../kubernetes/time.ts";
import type { OwnRecord } from "../../sources/manifest-file.ts";
import type { State } from "../../status/state.ts";

const DECIDED_AT = "vedette.dev/decided-at";

/**
 * For each root host the `DNSEndpoint` that external-dns is to publish: what is served, no more and no less. It is named as, and
 * owned by, the oldest record of the host. While nobody has decided a host, what is there stays; one of which nothing is to be
 * in DNS has none. `records` have the specs in force; `endpointAt` gives a DNSEndpoint as it is there.
 */
export function endpointObjects(
  records: readonly OwnRecord[],
  hosts: State["hosts"],
  endpointAt: (ref: ObjectRef) => KubeObject | undefined,
): (WantedObject | KeptObject)[] {
  const byHost = Map.groupBy(records, ({ spec }) => spec.rootHost);
  return [...byHost].flatMap(([rootHost, ofHost]): (WantedObject | KeptObject)[] => {
    const { served, delivered } = hosts[rootHost] ?? {};
    if (served === undefined) return ofHost.map(kept);
    const [holder] = ofHost.toSorted(byAge);
    if (holder === undefined || served.length === 0) return [];
    const spec = { endpoints: served };
    return [wanted(holder, spec, notedTime(spec, delivered?.decidedAt, endpointAt(holder)))];
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
export function isHeldBy({ metadata }: KubeObject, { uid }: { uid?: string | undefined }): boolean {
  return (
    isManagedByUs(metadata) && uid !== undefined && (metadata.ownerReferences ?? []).some((owner) => owner.uid === uid)
  );
}

/** When the decision was made by which the object came to publish what it does, Unix ms; undefined where it does not say. */
export function decidedAtOf({ metadata }: KubeObject): number | undefined {
  return parseTime(metadata.annotations?.[DECIDED_AT]);
}

/** A newer decision by which the same is published is no reason to write. */
function notedTime(spec: object, decidedAt: number | undefined, object: KubeObject | undefined): number | undefined {
  if (object === undefined || !contains(object.spec, spec, { ignoreTimes: false })) return decidedAt;
  const noted = decidedAtOf(object);
  return noted !== undefined && decidedAt !== undefined ? Math.min(noted, decidedAt) : noted;
}

const kept = ({ namespace, name }: OwnRecord): KeptObject => ({
  type: "Kept",
  kind: DNS_ENDPOINT,
  ref: { namespace, name },
});

function wanted(holder: OwnRecord, spec: object, decidedAt: number | undefined): WantedObject {
  const { apiVersion, kind } = DNS_ENDPOINT;
  const { name, namespace } = holder;
  const owner = ownerReference(holder);
  const annotations = decidedAt === undefined ? undefined : { [DECIDED_AT]: rfc3339(decidedAt) };
  const metadata = {
    name,
    namespace,
    labels: recordLabels(name),
    ...(annotations && { annotations }),
    ...(owner && { ownerReferences: [owner] }),
  };
  return { type: "Object", kind: DNS_ENDPOINT, object: { apiVersion, kind, metadata, spec } };
}
