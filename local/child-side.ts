import type { ChildWord } from "./child.ts";
import { listProcesses } from "./process-table.ts";

const GRACE_MS = 3_000;

/**
 * The child's half of child.ts: starts the part, says so, and ends with the parent. The channel closes when the parent
 * stops the child and also when the parent is killed; either way the whole group ends, workerd included.
 */
export async function runAsChild(start: () => Promise<() => Promise<void>>): Promise<void> {
  const parentGone = new Promise<void>((resolve) => process.once("disconnect", resolve));
  if (!process.connected) return;
  try {
    const stop = await Promise.race([start(), parentGone]);
    if (stop === undefined) return endGroup();
    say({ ready: true });
    await parentGone;
    setTimeout(endGroup, GRACE_MS);
    await stop();
  } catch (error) {
    console.error(error);
    if (process.connected) await said({ failed: lastCause(error as Error).message });
  }
  // One after the other: wrangler removes its temporary files on the way out.
  endOthers();
  process.exit();
}

/** Tells the parent, if it is still there. */
export function say(word: ChildWord): void {
  if (process.connected) process.send?.(word);
}

function said(word: ChildWord): Promise<void> {
  return new Promise((resolve) => process.send?.(word, undefined, {}, () => resolve()));
}

/** The innermost error: the outer ones only say that starting failed. */
function lastCause(error: Error): Error {
  return error.cause instanceof Error ? lastCause(error.cause) : error;
}

/** Ends what the part left in its group, should it have failed to end that itself. */
function endOthers(): void {
  const others = listProcesses().filter(({ pid, group }) => group === process.pid && pid !== process.pid);
  for (const { pid } of others) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // Ended by itself meanwhile.
    }
  }
}

function endGroup(): void {
  process.kill(-process.pid, "SIGKILL");
}
