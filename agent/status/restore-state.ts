import { z } from "zod";
import { type Endpoint, endpoint } from "../../shared/model/endpoint.ts";
import { NO_NUMBER } from "../../shared/number.ts";
import { type DeliveredRecord, isUnder } from "../edge/delivered.ts";
import { type KubeObject, refKey } from "../kubernetes/object.ts";
import { type Acceptance, inForce } from "../plan/accepted-specs.ts";
import { byAge, isHeldBy } from "../publish/external-dns/endpoint-object.ts";
import { kubernetesRecords } from "../sources/api-records.ts";
import type { OwnRecord } from "../sources/manifest-file.ts";
import { conditionsOf } from "./conditions.ts";
import { contactOf } from "./lease-object.ts";
import { ownProbes } from "./own-probes.ts";
import { probeSummaries } from "./record-status.ts";
import { restoreAcceptance, restoreDelivered, withConditions } from "./restore-record.ts";
import type { HostState, RecordState, State } from "./state.ts";

export interface LoadInput {
  /** All DNSRecords. */
  records: readonly KubeObject[];
  /** The probe objects: what each region said last. */
  probes: readonly KubeObject[];
  /** The DNSEndpoints; none where nothing is published through external-dns. */
  endpoints: readonly KubeObject[];
  /** The contact Lease. */
  lease: KubeObject | undefined;
  clusterUid: string;
  /** The edge of now: what another one said means nothing here. */
  edge: State["edge"];
}

/**
 * The agent's state, from the objects that hold it. It starts one number below the newest delivery, which is then taken
 * again, whole. What somebody else wrote into a status, or what another version did, makes that record alone start with
 * nothing known.
 */
export function restoreState(input: LoadInput): State {
  const contact = contactOf(input.lease);
  const isSameEdge = contact.edgeUrl === undefined || contact.edgeUrl === input.edge.url;
  const remembered = restoreRecords({ ...input, cluster: input.edge.cluster, isSameEdge });
  const staying = remembered.filter(({ isLeaving }) => !isLeaving);
  const byHost = Map.groupBy(remembered, ({ rootHost }) => rootHost);
  const hosts = Object.fromEntries(
    staying.map(({ rootHost }) => [rootHost, restoreHost(byHost.get(rootHost) ?? [], input.edge.cluster)]),
  );
  return {
    clusterUid: input.clusterUid,
    version: 1,
    edge: input.edge,
    number: isSameEdge ? oneBelow(contact.number) : NO_NUMBER,
    sentAt: isSameEdge ? contact.sentAt : 0,
    silent: contact.silent,
    serial: contact.serial,
    records: Object.fromEntries(staying.map((one) => [one.record.key, recordState(one, hosts, input.edge.cluster)])),
    hosts,
    problems: [],
  };
}

const oneBelow = ({ epoch, n }: State["number"]): State["number"] => ({ epoch, n: Math.max(0, n - 1) });

function recordState(
  { record, rootHost, status, acceptance }: RestoredRecord,
  hosts: Readonly<Record<string, HostState>>,
  cluster: string,
): RecordState {
  const { served = [], delivered } = hosts[rootHost] ?? {};
  return {
    status: {
      rootHost,
      ...(record.generation !== undefined && { observedGeneration: record.generation }),
      conditions: conditionsOf(status),
      published: served,
      leaves: delivered?.leaves ?? [],
      probes: probeSummaries(ownProbes(delivered, { cluster, record: record.key })),
    },
    manifest: manifestOf(record),
    ...acceptance,
  };
}

function manifestOf({ uid, generation, createdAt, specInput }: OwnRecord): RecordState["manifest"] {
  return {
    ...(uid !== undefined && { uid }),
    ...(generation !== undefined && { generation }),
    ...(createdAt !== undefined && { createdAt }),
    spec: specInput,
  };
}

/** What the objects of one record remember. */
export interface RestoredRecord {
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

export interface RestoreInput {
  records: readonly KubeObject[];
  probes: readonly KubeObject[];
  endpoints: readonly KubeObject[];
  cluster: string;
  /** Whether the edge is the one that was spoken of. */
  isSameEdge: boolean;
}

/** What the objects remember, record by record. */
export function restoreRecords({ records, probes, endpoints, cluster, isSameEdge }: RestoreInput): RestoredRecord[] {
  const [objects, probesByKey, endpointsByKey] = [byKey(records), byKey(probes), byKey(endpoints)];
  const nothing = () => undefined;
  const reading = { records, isMember: () => true, secretAt: nothing, secretError: nothing, before: [] };
  return kubernetesRecords(reading).records.map((record) => {
    const { status, metadata } = objects.get(record.key) ?? { status: undefined, metadata: undefined };
    const acceptance = isSameEdge ? restoreAcceptance(record, status) : {};
    const { rootHost } = (inForce(record, acceptance) ?? record).spec;
    return {
      record,
      isLeaving: metadata?.deletionTimestamp !== undefined,
      rootHost,
      status,
      acceptance,
      held: endpointsIn(record, rootHost, endpointsByKey.get(record.key)),
      published: endpointsUnder(rootHost, publishing.safeParse(status).data?.published),
      delivered: isSameEdge ? restoreDelivered({ rootHost, record, status, probes: probesByKey, cluster }) : undefined,
    };
  });
}

/**
 * A root host, from all records that stand for it. Its DNSEndpoint says what is in DNS, else the statuses do; of
 * several statuses the one with the newest decision was written last.
 */
export function restoreHost(remembered: readonly RestoredRecord[], cluster: string): HostState {
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
const byStanding = (a: RestoredRecord, b: RestoredRecord) =>
  Number(a.isLeaving) - Number(b.isLeaving) || byAge(a.record, b.record);

const holding = z.object({ endpoints: z.array(endpoint).min(1) });
const publishing = z.object({ published: z.array(endpoint) });

/**
 * What a DNSEndpoint holds of a record's host. Undefined for a foreign object, and for one with names outside the host.
 */
export function endpointsIn(
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
