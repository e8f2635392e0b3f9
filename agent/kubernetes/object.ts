/** A reference to the owner of an object: the object is deleted with its owner. */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
}

/** The fields that a manager owns, as recorded by the API server. */
export interface ManagedFields {
  manager?: string;
  operation?: string;
  subresource?: string;
  /** RFC 3339, by the API server's clock */
  time?: string;
  fieldsV1?: unknown;
}

/** The part of Kubernetes' object metadata that the agent uses. */
export interface ObjectMeta {
  name: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  /** RFC 3339 */
  creationTimestamp?: string;
  /** RFC 3339; set once the object is deleted and waits for its finalizers. */
  deletionTimestamp?: string;
  finalizers?: string[];
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  managedFields?: ManagedFields[];
}

/** Any object of the Kubernetes API. `spec` and `status` are parsed with the schema of their kind. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  spec?: unknown;
  status?: unknown;
  data?: Record<string, string>;
}

/** Names one object of a kind. */
export interface ObjectRef {
  name: string;
  namespace?: string;
}

/** `namespace/name`, or the name alone where the kind has no namespaces. */
export function refKey({ namespace, name }: ObjectRef): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** The agent's name as field manager, label, component of Events and user agent. */
export const FIELD_MANAGER = "vedette-agent";

/** The label of every object that the agent creates. */
export const MANAGED_BY_US = { "app.kubernetes.io/managed-by": FIELD_MANAGER } as const;

/** Whether an object has the label of the objects that the agent creates. */
export function isManagedByUs({ labels }: Pick<ObjectMeta, "labels">): boolean {
  return Object.entries(MANAGED_BY_US).every(([name, text]) => labels?.[name] === text);
}

const NUMBER = /^[1-9][0-9]*$/;

/**
 * Compares two resourceVersions of one kind, as for `Array.sort`; undefined if they cannot be compared. They are
 * increasing numbers of any length. Kubernetes' conformance tests require this since 1.35
 * (https://www.kubernetes.dev/resources/keps/5504/) and every API server on etcd did so before.
 */
export function compareResourceVersions(a: string | undefined, b: string | undefined): number | undefined {
  if (a === b) return 0;
  if (a === undefined || b === undefined || !NUMBER.test(a) || !NUMBER.test(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : 1;
}

/** Whether `a` is known to be older than `b`. It is false if they cannot be compared, so that the last read wins. */
export function isOlderVersion(a: string | undefined, b: string | undefined): boolean {
  return (compareResourceVersions(a, b) ?? 0) < 0;
}
