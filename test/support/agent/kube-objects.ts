import type { Wanted } from "../../../agent/apply/desired.ts";
import type { KubeObject } from "../../../agent/kubernetes/object.ts";
import { refKey } from "../../../agent/kubernetes/object.ts";
import { inForce } from "../../../agent/plan/accepted-specs.ts";
import { endpointObjects } from "../../../agent/publish/external-dns/endpoint-object.ts";
import { kubernetesRecords } from "../../../agent/sources/api-records.ts";
import { desiredObjects } from "../../../agent/status/desired-objects.ts";
import { leaseObject } from "../../../agent/status/lease-object.ts";
import type { State } from "../../../agent/status/state.ts";

export const NOW = Date.UTC(2026, 10, 30, 12);

export interface RecordGiven {
  name: string;
  host?: string;
  targets?: readonly string[];
  uid?: string;
  generation?: number;
  /** In minutes before now. */
  age?: number;
  spec?: object;
  status?: unknown;
}

/** A DNSRecord `shop/<name>` as the API holds it. */
export function dnsRecord(given: RecordGiven): KubeObject {
  const { name, host = `${name}.test`, targets = ["192.0.2.1", "192.0.2.2"], uid = `uid-${name}` } = given;
  const { generation = 1, age = 60, spec = {}, status } = given;
  return {
    apiVersion: "vedette.dev/v1alpha1",
    kind: "DNSRecord",
    metadata: {
      name,
      namespace: "shop",
      uid,
      generation,
      creationTimestamp: new Date(NOW - age * 60_000).toISOString(),
    },
    spec: {
      rootHost: host,
      endpoints: [{ dnsName: host, recordType: "A", recordTTL: 60, targets: [...targets] }],
      healthCheck: { protocol: "HTTP" },
      ...spec,
    },
    ...(status !== undefined && { status }),
  };
}

export const recordsOf = (objects: readonly KubeObject[]) =>
  kubernetesRecords({
    records: objects,
    isMember: () => true,
    secretAt: () => undefined,
    secretError: () => undefined,
    before: [],
  });

/** What an API server holds once everything that a state wants was written, over the DNSEndpoints that were there. */
export function written(state: State, records: readonly KubeObject[], there: readonly KubeObject[] = []) {
  const { records: own, refused } = recordsOf(records);
  const nothing = () => undefined;
  const shown = desiredObjects({
    state,
    records: own,
    refused,
    recordAt: nothing,
    probeAt: nothing,
    extraOf: () => [],
    refreshTimes: false,
    nowMs: NOW,
  });
  const standing = own.flatMap((record) => inForce(record, state.records[record.key]) ?? []);
  const endpoints = endpointObjects(standing, state.hosts, (ref) =>
    there.find(({ metadata }) => refKey(metadata) === refKey(ref)),
  );
  const lease = leaseObject({ state, namespace: "system", heardAt: NOW, before: undefined });
  const statuses = new Map(
    shown.wanted.flatMap((one) => (one.type === "Status" ? [[refKey(one.ref), one.status]] : [])),
  );
  return asJson({
    records: records.map((object) => ({ ...object, status: statuses.get(refKey(object.metadata)) ?? object.status })),
    probes: shown.wanted.flatMap(objectOf),
    endpoints: endpoints.flatMap(objectOf),
    lease: lease.object,
  });
}

export const objectOf = (wanted: Wanted): KubeObject[] =>
  wanted.type === "Object" ? [{ ...wanted.object, ...(wanted.status && { status: wanted.status }) }] : [];

const asJson = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value));
