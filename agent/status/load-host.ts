import { z } from "zod";
import { type Endpoint, endpoint } from "../../shared/model/endpoint.ts";
import { type DeliveredRecord, isUnder } from "../edge/delivered.ts";
import { type KubeObject, refKey } from "../kubernetes/object.ts";
import { type Acceptance, inForce } from "../plan/accepted-specs.ts";
import { byAge, isHeldBy } from "../publish/external-dns/endpoint-object.ts";
import { kubernetesRecords } from "../sources/api-records.ts";
import type { OwnRecord } from "../sources/collect.ts";
import { acceptanceOf } from "./load-acceptance.ts";
import { deliveredOf, withConditions } from "./restore-record.ts";
import type { HostState } from "./state.ts";

/** What the objects of one record remember. */
export interface Remembered {
  record: OwnRecord;
  /** It is being deleted: it counts for nothing, but what is in DNS may stand in its name. */
  isLeaving: boolean;
  /** Of the form that it stands with. */
  rootHost: string;
  status: unknown;
  acceptance: Acceptance;
  /** What its DNSEndpoint holds, and what its status says is in DNS. */
  held: Endpoint[] | undefined;
  published: Endpoint[] | undefined;
  delivered: DeliveredRecord | undefined;
}

export interface RememberInput {
  records: readonly KubeObject[];
  probes: readonly KubeObject[];
  endpoints: readonly KubeObject[];
  cluster: string;
  /** Whether the edge is the one that was spoken of. */
  isSameEdge: boolean;
}

/** What the objects remember, record by record. */
export function remember({ records, probes, endpoints, cluster, isSameEdge }: RememberInput): Remembered[] {
  const [objects, probesByKey, endpointsByKey] = [byKey(records), byKey(probes), byKey(endpoints)];
  const nothing = () => undefined;
  const reading = { records, isMember: () => true, secretAt: nothing, secretTrouble: nothing, before: [] };
  return kubernetesRecords(reading).records.map((record) => {
    const { status, metadata } = objects.get(record.key) ?? { status: undefined, metadata: undefined };
    const acceptance = isSameEdge ? acceptanceOf(record, status) : {};
    const { rootHost } = (inForce(record, acceptance) ?? record).spec;
    return {
      record,
      isLeaving: metadata?.deletionTimestamp !== undefined,
      rootHost,
      status,
      acceptance,
      held: heldBy(record, rootHost, endpointsByKey.get(record.key)),
      published: endpointsUnder(rootHost, publishing.safeParse(status).data?.published),
      delivered: isSameEdge ? deliveredOf({ rootHost, record, status, probes: probesByKey, cluster }) : undefined,
    };
  });
}

/**
 * A root host, from all records that stand for it. Its DNSEndpoint says what is in DNS, else the statuses do; of several
 * statuses the one with the newest decision was written last.
 */
export function hostOf(remembered: readonly Remembered[], cluster: string): HostState {
  const oldestFirst = remembered.toSorted(byStanding);
  const newestFirst = oldestFirst.toSorted((a, b) => (b.delivered?.decidedAt ?? 0) - (a.delivered?.decidedAt ?? 0));
  const { delivered } = newestFirst.find((one) => one.delivered !== undefined && !one.isLeaving) ?? {};
  const served =
    oldestFirst.find(({ held }) => held !== undefined)?.held ??
    newestFirst.find(({ published }) => published !== undefined)?.published;
  return { ...(served && { served }), ...(delivered && { delivered: withConditions(delivered, remembered, cluster) }) };
}

const byKey = (objects: readonly KubeObject[]) => new Map(objects.map((object) => [refKey(object.metadata), object]));

/** Those that stay before those that are being deleted, each the oldest first. */
const byStanding = (a: Remembered, b: Remembered) =>
  Number(a.isLeaving) - Number(b.isLeaving) || byAge(a.record, b.record);

const holding = z.object({ endpoints: z.array(endpoint).min(1) });
const publishing = z.object({ published: z.array(endpoint) });

/** What a DNSEndpoint holds of a record's host. Undefined where it is none of ours, also where it holds what is not the host's. */
export function heldBy(
  record: { uid?: string | undefined },
  rootHost: string,
  object: KubeObject | undefined,
): Endpoint[] | undefined {
  if (object === undefined || !isHeldBy(object, record)) return undefined;
  return endpointsUnder(rootHost, holding.safeParse(object.spec).data?.endpoints);
}

function endpointsUnder(rootHost: string, endpoints: Endpoint[] | undefined): Endpoint[] | undefined {
  return endpoints?.every(({ dnsName }) => isUnder(rootHost, dnsName)) ? endpoints : undefined;
}
