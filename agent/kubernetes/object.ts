/** A pointer to an object that goes when its owner does (Kubernetes API conventions). */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
}

/** The fields that a writer set last, as the API server notes them. */
export interface ManagedFields {
  manager?: string;
  operation?: string;
  subresource?: string;
  /** RFC 3339, by the API server's clock */
  time?: string;
  fieldsV1?: unknown;
}

/** What the agent reads and writes of Kubernetes' object metadata. */
export interface ObjectMeta {
  name: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  /** RFC 3339 */
  creationTimestamp?: string;
  /** RFC 3339; set once the object is to be deleted and waits for its finalizers. */
  deletionTimestamp?: string;
  finalizers?: string[];
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  managedFields?: ManagedFields[];
}

/** Any object of the Kubernetes API. `spec` and `status` are read with the schema of their kind. */
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
