import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { basename } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Refusal } from "./plan.ts";

/** A part of the stack in a process of its own, which leads a process group of its own. */
export type Child = {
  pid: number;
  /** Settles when the process has ended, however it came to that. */
  ended: Promise<void>;
  /** Asks it to end, and ends the whole group when it does not within a moment. */
  stop(): Promise<void>;
  /** Ends the process alone, at once, as a crash would. */
  crash(): Promise<void>;
};

/** What a child says to its parent: once how its start went, and whenever a person should know of a trouble. */
export type ChildWord = { ready: true } | { failed: string } | { trouble: string };

/** What whoever started a child is told. */
export type ChildHooks = {
  logFile: string;
  /** The process group, as soon as there is one, so that it can be noted before anything can go wrong. */
  onGroup: (group: number) => void;
  onTrouble: (message: string) => void;
};

export type ChildPlan = { script: string; env: Record<string, string>; hooks: ChildHooks };

const GRACE_MS = 4_000;

/**
 * Starts a child and waits until it says that it is ready. Refuses with what it says otherwise, or where its log is. The
 * group is its own so that a terminal's Ctrl-C reaches the parent only, which then ends the parts in order.
 */
export async function startChild({ script, env, hooks }: ChildPlan): Promise<Child> {
  const log = openSync(hooks.logFile, "a", 0o600);
  const child = fork(script, [], { detached: true, env, stdio: ["ignore", log, log, "ipc"] });
  closeSync(log);
  const { pid } = child;
  if (pid === undefined) throw new Error(`${basename(script)} could not be started`);
  hooks.onGroup(pid);
  const ended = once(child, "exit").then(() => endGroup(pid));
  const stop = async () => {
    if (child.connected) child.disconnect();
    const inTime = await Promise.race([ended.then(() => true), pause(GRACE_MS, false, { ref: false })]);
    if (!inTime) endGroup(pid);
    await ended;
  };
  const crash = async () => {
    child.kill("SIGKILL");
    await ended;
  };
  const failure = await Promise.race([
    startOf(child, hooks),
    ended.then(() => `${basename(script, ".ts")} ended while starting. Its log: ${hooks.logFile}`),
  ]);
  if (failure === undefined) return { pid, ended, stop, crash };
  await stop();
  throw new Refusal(failure);
}

/** Resolves with what went wrong, or undefined, once the child says how its start went. */
function startOf(child: ChildProcess, { onTrouble }: ChildHooks): Promise<string | undefined> {
  return new Promise((resolve) => {
    child.on("message", (message) => {
      const word = message as ChildWord;
      if ("trouble" in word) onTrouble(word.trouble);
      else resolve("failed" in word ? word.failed : undefined);
    });
  });
}

/** Ends what is left of a process group, such as a workerd that its parent left behind. */
export function endGroup(group: number): void {
  try {
    process.kill(-group, "SIGKILL");
  } catch {
    // Nobody is left in it.
  }
}
