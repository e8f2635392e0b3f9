import type { Kind } from "../kubernetes/kinds.ts";
import type { KubeObject, ObjectRef } from "../kubernetes/object.ts";

/**
 * The status of an object that others made, such as a DNSRecord. It is never created, and its metadata and spec are left alone;
 * where the object is gone or another one by its uid, nothing is written.
 */
export interface WantedStatus {
  type: "Status";
  kind: Kind;
  ref: ObjectRef & { uid: string };
  /** All that we say in it; what we said before and is not in here any more goes. */
  status: object;
}

/** An object of ours, whole: created where there is none, and put right where it says something else. */
export interface WantedObject {
  type: "Object";
  kind: Kind;
  /**
   * What we say of it, without `uid`, `resourceVersion` and `status`: name, namespace, our labels and annotations,
   * `ownerReferences` and `spec`. What others add to it stays.
   */
  object: KubeObject;
  /** Goes to the status subresource, once the object is there. */
  status?: object;
}

/** An object of ours that is to stay as it is for now: it is neither written nor deleted. */
export interface KeptObject {
  type: "Kept";
  kind: Kind;
  ref: ObjectRef;
}

export type Wanted = WantedStatus | WantedObject | KeptObject;

/** Objects of a kind, with all these labels, that are ours alone: one that is not among the wanted is deleted. */
export interface Scope {
  kind: Kind;
  labels: Readonly<Record<string, string>>;
}

/** What is to be, whole. An object is named in it once at most. */
export interface Desired {
  wanted: readonly Wanted[];
  /** Empty where nothing is to be deleted. */
  scopes: readonly Scope[];
}
