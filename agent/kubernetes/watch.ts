import { linkAbort } from "./abort.ts";
import type { KubeClient, WatchOptions } from "./client.ts";
import type { WatchEvent } from "./decode.ts";
import type { Kind } from "./kinds.ts";

/** A watch that the server does not end in time is closed this much later. */
const OVERTIME_MS = 30_000;

export interface WatchOnceOptions extends WatchOptions {
  client: Pick<KubeClient, "watch">;
  kind: Kind;
  /** A watch without an event for this long is closed, since its connection may be dead. */
  quietMs: number;
  onEvent: (event: WatchEvent) => void;
  /** Called when the watch has been open for `stableMs`. */
  onStable: () => void;
  stableMs: number;
}

/**
 * Reads one watch until either side ends it. Leaves no timer or connection open.
 *
 * @throws KubeError if the watch is refused or breaks
 */
export async function watchOnce(options: WatchOnceOptions): Promise<void> {
  const { client, kind, quietMs, stableMs, onEvent, onStable, signal: stopping, ...watch } = options;
  const leaving = new AbortController();
  const { signal } = leaving;
  const unlink = linkAbort(stopping, leaving);
  const timers = new Set<NodeJS.Timeout>();
  const after = (ms: number, work: () => void) => {
    const timer = setTimeout(work, ms);
    timers.add(timer);
    return timer;
  };
  try {
    const events = await client.watch(kind, { ...watch, signal });
    after(stableMs, onStable);
    after(watch.timeoutSeconds * 1000 + OVERTIME_MS, () => leaving.abort());
    const quiet = after(quietMs, () => leaving.abort());
    for await (const event of events) {
      if (signal.aborted) return;
      quiet.refresh();
      onEvent(event);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    for (const timer of timers) clearTimeout(timer);
    unlink();
    leaving.abort();
  }
}
