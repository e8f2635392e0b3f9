import type { Log } from "../runtime/log.ts";
import type { KubeClient, Selection } from "./client.ts";
import type { Kind } from "./kinds.ts";
import type { KubeObject } from "./object.ts";

export interface InformerOptions extends Selection {
  client: Pick<KubeClient, "list" | "watch" | "read">;
  kind: Kind;
  /** How often all is read again even if the watch seems well, in milliseconds. */
  resyncMs: number;
  /** Called for each object that came (`before` is undefined), changed, or went (`after` is undefined). */
  onChange: (before: KubeObject | undefined, after: KubeObject | undefined) => void;
  /** Called when `isSynced` or `isUnknown` has changed, after the changes of that list. */
  onStateChange?: () => void;
  log: Log;
  /** How often a kind that the cluster does not know is looked for, in milliseconds. Default 30 s. */
  unknownRetryMs?: number;
  /** A watch without event or bookmark for so long is opened anew, in milliseconds. Default 90 s. */
  quietMs?: number;
  /** A clock that only goes forward, in milliseconds. */
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
