import { NO_NUMBER } from "../../shared/number.ts";
import type { KubeObject } from "../kubernetes/object.ts";
import type { OwnRecord } from "../sources/collect.ts";
import { contactOf } from "./lease-object.ts";
import { hostOf, type Remembered, remember } from "./load-host.ts";
import { ownProbes } from "./own-probes.ts";
import { conditionsOf } from "./read-status.ts";
import { probeSummaries } from "./record-status.ts";
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
 * The agent's state, from the objects that hold it. It starts one number below the newest delivery, which is then taken again,
 * whole. What somebody else wrote into a status, or what another version did, makes that record alone start with nothing known.
 */
export function stateFromObjects(input: LoadInput): State {
  const contact = contactOf(input.lease);
  const isSameEdge = contact.edgeUrl === undefined || contact.edgeUrl === input.edge.url;
  const remembered = remember({ ...input, cluster: input.edge.cluster, isSameEdge });
  const staying = remembered.filter(({ isLeaving }) => !isLeaving);
  const byHost = Map.groupBy(remembered, ({ rootHost }) => rootHost);
  const hosts = Object.fromEntries(
    staying.map(({ rootHost }) => [rootHost, hostOf(byHost.get(rootHost) ?? [], input.edge.cluster)]),
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
  { record, rootHost, status, acceptance }: Remembered,
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
