import { type KubeObject, type ObjectMeta, refKey } from "../../agent/kubernetes/object.ts";
import { type Changes, type ClusterState, planChanges } from "../../agent/sources/gateway/plan.ts";

/** `[name, hostname, protocol = HTTPS, port = 443]` */
export type ListenerShort = [name: string, hostname?: string, protocol?: string, port?: number];

export interface GatewayShort {
  listeners: readonly unknown[];
  /** Values; those that hold a letter outside of hexadecimal digits are host names. */
  addresses?: readonly string[];
  /** Instead of addresses. */
  status?: unknown;
  metadata?: Partial<ObjectMeta>;
}

export const listenerOf = ([name, hostname, protocol = "HTTPS", port = 443]: ListenerShort) => ({
  name,
  ...(hostname !== undefined && { hostname }),
  protocol,
  port,
});

export const addressOf = (value: string) => ({ type: /[g-z]/.test(value) ? "Hostname" : "IPAddress", value });

/** A Gateway as the API server holds it; created at midnight. */
export function gateway(name: string, { listeners, addresses = [], status, metadata }: GatewayShort): KubeObject {
  return {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "Gateway",
    metadata: meta(name, metadata),
    spec: {
      gatewayClassName: "any",
      listeners: listeners.map((one) => (Array.isArray(one) ? listenerOf(one as ListenerShort) : one)),
    },
    status: status ?? { addresses: addresses.map(addressOf) },
  };
}

/** A policy for `gateway` or `gateway/listener`. */
export function policy(
  name: string,
  target: string,
  { metadata, ...spec }: { metadata?: Partial<ObjectMeta> } & Record<string, unknown> = {},
): KubeObject {
  const [gatewayName, sectionName] = target.split("/");
  return {
    apiVersion: "vedette.dev/v1alpha1",
    kind: "DNSHealthCheckPolicy",
    metadata: meta(name, metadata),
    spec: { targetRef: { name: gatewayName, ...(sectionName !== undefined && { sectionName }) }, ...spec },
  };
}

function meta(name: string, more: Partial<ObjectMeta> = {}): ObjectMeta {
  const creationTimestamp = "2026-01-01T00:00:00Z";
  return { name, namespace: "shop", uid: `uid of ${name}`, generation: 1, creationTimestamp, ...more };
}

/** The world after its changes are written, as the API server would have it. */
export function written(world: ClusterState, { applies, deletes, statuses }: Changes): ClusterState {
  const records = new Map(world.records.map((object) => [refKey(object.metadata), object]));
  for (const object of applies) {
    const key = refKey(object.metadata);
    const there = records.get(key);
    records.set(key, there === undefined ? created(object) : applied(there, object));
  }
  for (const { metadata } of deletes) records.delete(refKey(metadata));
  const statusOf = new Map(statuses.map(({ policy: { metadata }, status }) => [refKey(metadata), status]));
  const policies = world.policies?.map((object) => {
    const status = statusOf.get(refKey(object.metadata));
    return status === undefined ? object : { ...object, status };
  });
  return { ...world, policies, records: [...records.values()] };
}

const created = (object: KubeObject): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, uid: `uid of ${object.metadata.name}` },
});

const applied = (there: KubeObject, object: KubeObject): KubeObject => ({
  ...there,
  metadata: {
    ...there.metadata,
    labels: { ...there.metadata.labels, ...object.metadata.labels },
    annotations: { ...there.metadata.annotations, ...object.metadata.annotations },
    ownerReferences: object.metadata.ownerReferences ?? [],
  },
  spec: object.spec,
});

/** The world once all that differs has been written. */
export const settled = (world: ClusterState, nowMs = 0): ClusterState => written(world, planChanges(world, nowMs));
