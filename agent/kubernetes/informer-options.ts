import type { Log } from "../runtime/log.ts";
import type { KubeClient, Selection } from "./client.ts";
import type { Kind } from "./kinds.ts";
import type { KubeObject } from "./object.ts";

export interface InformerOptions extends Selection {
  client: Pick<KubeClient, "list" | "watch" | "read">;
  kind: Kind;
  /** How often all objects are read again even if the watch works, in milliseconds. */
  resyncMs: number;
  /** Called for each object that was added (`before` is undefined), changed or removed (`after` is undefined). */
  onChange: (before: KubeObject | undefined, after: KubeObject | undefined) => void;
  /** Called when `isSynced` or `isUnknown` has changed, after the changes of that list. */
  onStateChange?: () => void;
  log: Log;
  /** How often an unknown kind is looked for, in milliseconds. Default: 30 s. */
  unknownRetryMs?: number;
  /** A watch without an event or bookmark for this long is reopened, in milliseconds. Default: 90 s. */
  quietMs?: number;
  /** A monotonic clock, in milliseconds. */
  elapsedMs?: () => number;
  random?: () => number;
}

export const INFORMER_DEFAULTS = {
  onStateChange: () => {},
  unknownRetryMs: 30_000,
  /** API servers send a bookmark about once a minute. */
  quietMs: 90_000,
  elapsedMs: () => performance.now(),
  random: Math.random,
};
