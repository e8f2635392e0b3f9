import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";

/** What has to go when this process does: a process group by its leader's id, or a folder. */
export type Guarded = { group: number } | { folder: string };

/** A message to the guard: to look after something, or no longer. */
export type GuardWord = { add: Guarded } | { remove: Guarded };

let keeper: ChildProcess | undefined;

/**
 * Starts a process that ends the group, or removes the folder, when this process ends in any way. A test run that is killed can
 * clean up nothing itself. Returns what releases it again.
 */
export function guard(guarded: Guarded): () => void {
  tell({ add: guarded });
  return () => tell({ remove: guarded });
}

function tell(word: GuardWord): void {
  keeper ??= startKeeper();
  keeper.send(word);
}

function startKeeper(): ChildProcess {
  const script = join(import.meta.dirname, "guard-process.ts");
  // Detached: a terminal's Ctrl-C must not reach it before it has done its work.
  const child = fork(script, [], { detached: true, stdio: ["ignore", "ignore", "ignore", "ipc"], execArgv: [] });
  child.unref();
  child.channel?.unref();
  return child;
}
