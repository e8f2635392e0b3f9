import type { Kind } from "../kubernetes/kinds.ts";
import type { Log } from "../runtime/log.ts";
import type { ObjectCache, ObjectClient } from "./ports.ts";

export interface WriterOptions {
  client: ObjectClient;
  cacheOf: (kind: Kind) => ObjectCache;
  /** Whether all has been read that the wanted state is made from: before, nothing is deleted. */
  isSynced: () => boolean;
  /** Whether this replica may write at all, asked before each write. Default: it may. */
  mayWrite?: () => boolean;
  windowMs: number;
  /** Objects that are written at the same time. */
  concurrency: number;
  refreshesPerSecond: number;
  log: Log;
  /** A clock that only goes forward, in milliseconds. */
  elapsedMs: () => number;
  random: () => number;
  /** An object of the kind has come into trouble, into another, or out of it. */
  onTrouble: (kind: Kind) => void;
}
