import type { Kind } from "../kubernetes/kinds.ts";
import type { KubeObject, ObjectRef } from "../kubernetes/object.ts";

/** What the Writer needs of an informer. */
export interface ObjectCache {
  readonly isSynced: boolean;
  list(): readonly KubeObject[];
  get(ref: ObjectRef): KubeObject | undefined;
  /** Takes the answer of an own write, if it is newer than what is held. */
  put(object: KubeObject): void;
}

/** What the Writer needs of the API client. It throws `KubeError`s. */
export interface ObjectClient {
  get(kind: Kind, ref: ObjectRef): Promise<KubeObject | undefined>;
  apply(
    kind: Kind,
    object: KubeObject,
    options: { fieldManager: string; force?: boolean; subresource?: "status" },
  ): Promise<KubeObject>;
  delete(kind: Kind, ref: ObjectRef, options: { uid: string }): Promise<unknown>;
}
