import type { Kind } from "../kubernetes/kinds.ts";
import type { KubeObject, ObjectRef } from "../kubernetes/object.ts";

/**
 * The status of an object that a user made, such as a DNSRecord. The object is never created, and its metadata and spec are left
 * alone. Nothing is written if the object is gone or has another uid.
 */
export interface WantedStatus {
  type: "Status";
  kind: Kind;
  ref: ObjectRef & { uid: string };
  /** All fields that we own. A field that we wrote before and that is missing here is removed. */
  status: object;
}

/** An object of ours, whole. It is created if it is missing, and corrected if it differs. */
export interface WantedObject {
  type: "Object";
  kind: Kind;
  /**
   * Name, namespace, our labels and annotations, `ownerReferences` and `spec`, without `uid`, `resourceVersion` and `status`.
   * Fields that other writers add stay.
   */
  object: KubeObject;
  /** Written to the status subresource once the object exists. */
  status?: object;
}

/** An object of ours that stays as it is for now: it is neither written nor deleted. */
export interface KeptObject {
  type: "Kept";
  kind: Kind;
  ref: ObjectRef;
}

export type Wanted = WantedStatus | WantedObject | KeptObject;

/** All objects of a kind with these labels are ours. One that is not desired is deleted. */
export interface Scope {
  kind: Kind;
  labels: Readonly<Record<string, string>>;
}

/** The whole desired state. It names each object at most once. */
export interface Desired {
  wanted: readonly Wanted[];
  /** Empty if nothing is to be deleted. */
  scopes: readonly Scope[];
}
