import { linkAbort } from "./abort.ts";
import type { KubeClient, WatchOptions } from "./client.ts";
import type { WatchEvent } from "./decode.ts";
import type { Kind } from "./kinds.ts";

/** A server that does not end a watch by itself is left this much later. */
const OVERTIME_MS = 30_000;

export interface WatchOnceOptions extends WatchOptions {
  client: Pick<KubeClient, "watch">;
  kind: Kind;
  /** A watch that says nothing for so long is left: its connection may have died without a word. */
  quietMs: number;
  onEvent: (event: WatchEvent) => void;
  /** The watch has been open for `stableMs`. */
  onStable: () => void;
  stableMs: number;
}

/**
 * Follows one watch until its end, by whichever side, and leaves nothing open.
 *
 * @throws KubeError where it is refused or breaks
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
