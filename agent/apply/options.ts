import type { Kind } from "../kubernetes/kinds.ts";
import type { KubeObject, ObjectRef } from "../kubernetes/object.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";

/** The part of an informer that the Writer uses. */
export interface ObjectCache {
  readonly isSynced: boolean;
  list(): readonly KubeObject[];
  get(ref: ObjectRef): KubeObject | undefined;
  /** Stores the result of an own write, unless the cache has a newer version. */
  put(object: KubeObject): void;
}

/** The part of the API client that the Writer uses. It throws `KubeError`s. */
export interface ObjectClient {
  get(kind: Kind, ref: ObjectRef): Promise<KubeObject | undefined>;
  apply(
    kind: Kind,
    object: KubeObject,
    options: { fieldManager: string; force?: boolean; subresource?: "status" },
  ): Promise<KubeObject>;
  delete(kind: Kind, ref: ObjectRef, options: { uid: string }): Promise<unknown>;
}

export interface WriterOptions {
  client: ObjectClient;
  cacheOf: (kind: Kind) => ObjectCache;
  /** Whether everything was read that the desired state is made from. Before that nothing is deleted. */
  isSynced: () => boolean;
  /** Whether this replica may write at all, asked before each write. Default: it may. */
  mayWrite?: () => boolean;
  /** How long changes are gathered, in milliseconds. */
  windowMs: number;
  /** Objects that are written at the same time. */
  concurrency: number;
  /** Writes per second that only refresh the times of checks. */
  refreshesPerSecond: number;
  log: Log;
  clock?: Clock;
  random: () => number;
  /** The failure of an object of this kind has come, changed or gone. */
  onFailureChange: (kind: Kind) => void;
}
