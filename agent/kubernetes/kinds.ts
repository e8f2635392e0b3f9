import { API_VERSION } from "../../shared/model/manifest.ts";
import { KubeError } from "./errors.ts";
import type { ObjectRef } from "./object.ts";

/** A kind of object, and how the API server names it in its paths. */
export interface Kind {
  apiVersion: string;
  kind: string;
  plural: string;
  namespaced: boolean;
}

const namespaced = (apiVersion: string, kind: string, plural: string): Kind => ({
  apiVersion,
  kind,
  plural,
  namespaced: true,
});

export const DNS_RECORD = namespaced(API_VERSION, "DNSRecord", "dnsrecords");
export const DNS_HEALTH_CHECK_PROBE = namespaced(API_VERSION, "DNSHealthCheckProbe", "dnshealthcheckprobes");
export const DNS_HEALTH_CHECK_POLICY = namespaced(API_VERSION, "DNSHealthCheckPolicy", "dnshealthcheckpolicies");
export const GATEWAY = namespaced("gateway.networking.k8s.io/v1", "Gateway", "gateways");
export const DNS_ENDPOINT = namespaced("externaldns.k8s.io/v1alpha1", "DNSEndpoint", "dnsendpoints");
export const SECRET = namespaced("v1", "Secret", "secrets");
export const EVENT = namespaced("v1", "Event", "events");
export const LEASE = namespaced("coordination.k8s.io/v1", "Lease", "leases");
export const NAMESPACE: Kind = { apiVersion: "v1", kind: "Namespace", plural: "namespaces", namespaced: false };

export type Query = Readonly<Record<string, string | undefined>>;

/** The path of the kind's API group: `/apis/group/version`, or `/api/v1`. */
export function groupPath({ apiVersion }: Kind): string {
  return apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
}

/** The path of all objects of a kind, or of those in one namespace. */
export function collectionPath(kind: Kind, namespace: string | undefined, query: Query = {}): string {
  const within = kind.namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : "";
  return `${groupPath(kind)}${within}/${kind.plural}${queryText(query)}`;
}

/**
 * The path of one object.
 *
 * @throws Error if the kind is namespaced and the reference has no namespace
 */
export function objectPath(kind: Kind, ref: ObjectRef, subresource?: string, query: Query = {}): string {
  if (kind.namespaced && !ref.namespace) throw new Error(`${kind.kind} ${ref.name}: metadata.namespace is missing`);
  if (!ref.name) throw new Error(`${kind.kind}: metadata.name is missing`);
  const below = subresource === undefined ? "" : `/${subresource}`;
  return `${collectionPath(kind, ref.namespace)}/${encodeURIComponent(ref.name)}${below}${queryText(query)}`;
}

function queryText(query: Query): string {
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value !== undefined) params.set(key, value);
  return params.size === 0 ? "" : `?${params}`;
}

/**
 * Asks the API server by discovery whether it serves a kind. A 404 alone is no proof: a proxy without a backend and a
 * server that has just started give one too.
 *
 * @throws KubeError if discovery cannot be read (the ClusterRole system:discovery allows it to every account)
 */
export async function isServed(client: { read(path: string): Promise<unknown> }, kind: Kind): Promise<boolean> {
  if (!kind.apiVersion.includes("/")) return true;
  try {
    const { resources } = shaped(await client.read(groupPath(kind)), "APIResourceList", "resources");
    return resources.some(({ name }) => name === kind.plural);
  } catch (error) {
    if (!(error instanceof KubeError && error.code === 404)) throw error;
  }
  const { groups } = shaped(await client.read("/apis"), "APIGroupList", "groups");
  return groups.some(({ versions }) => versions?.some(({ groupVersion }) => groupVersion === kind.apiVersion));
}

interface Named {
  name?: string;
  versions?: { groupVersion?: string }[];
}

function shaped<Field extends string>(answer: unknown, kind: string, field: Field): Record<Field, Named[]> {
  const body = answer as ({ kind?: unknown } & Record<string, unknown>) | null;
  if (body?.kind === kind && Array.isArray(body[field])) return body as unknown as Record<Field, Named[]>;
  const message = `the answer is no ${kind}: does a proxy answer for the API server?`;
  throw new KubeError({ verb: "read", what: "discovery" }, { code: 0, reason: "NotTheAPI", message });
}

/** Whether the kind or the object is missing; `isServed` tells the two apart. */
export const isMissing = (error: unknown): boolean => error instanceof KubeError && error.code === 404;
