import { fork } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { basename } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

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

/** What a child says to its parent, once. */
export type ChildWord = { ready: true } | { failed: string };

export type ChildPlan = {
  script: string;
  env: Record<string, string>;
  logFile: string;
  /** Told the process group as soon as there is one, so that it can be noted before anything can go wrong. */
  onGroup: (group: number) => void;
};

const GRACE_MS = 4_000;

/**
 * Starts a child and waits until it says that it is ready. Throws what it says otherwise, or where its log is. The
 * group is its own so that a terminal's Ctrl-C reaches the parent only, which then ends the parts in order.
 */
export async function startChild(plan: ChildPlan): Promise<Child> {
  const log = openSync(plan.logFile, "a", 0o600);
  const child = fork(plan.script, [], {
    detached: true,
    env: plan.env,
    stdio: ["ignore", log, log, "ipc"],
  });
  closeSync(log);
  const { pid } = child;
  if (pid === undefined) throw new Error(`${basename(plan.script)} could not be started`);
  plan.onGroup(pid);
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
  const word = await Promise.race([once(child, "message").then(([message]) => message as ChildWord), ended]);
  if (word !== undefined && "ready" in word) return { pid, ended, stop, crash };
  await stop();
  throw new Error(word?.failed ?? `${basename(plan.script, ".ts")} ended while starting. Its log: ${plan.logFile}`);
}

/** Ends what is left of a process group, such as a workerd that its parent left behind. */
export function endGroup(group: number): void {
  try {
    process.kill(-group, "SIGKILL");
  } catch {
    // Nobody is left in it.
  }
}
