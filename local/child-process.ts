import { fork } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { kill } from "./pid-file.ts";
import { Refusal } from "./plan.ts";

/** A part of the stack in its own process, which leads its own process group. */
export type Child = {
  pid: number;
  /** Settles when the process has ended, for whatever reason. */
  ended: Promise<void>;
  /** Asks it to end. Kills the whole group if it does not end within the grace period. */
  stop(): Promise<void>;
  /** Kills the process alone, as a crash would. */
  crash(): Promise<void>;
};

/** A message from a child: the result of its start, and warnings for the user. */
export type ChildMessage = { ready: true } | { failed: string } | { warning: string };

/** Callbacks and the log of a child. */
export type ChildHooks = {
  logFile: string;
  /** Called with the process group before anything can go wrong, so that it can be recorded. */
  onGroup: (group: number) => void;
  onWarning: (message: string) => void;
};

const GRACE_MS = 4_000;

/**
 * Starts a part and waits until it is ready. Throws a Refusal with the child's reason, or with the path of its log. The child has its
 * own group, so that a terminal's Ctrl-C reaches only the parent, which then stops the parts in order.
 */
export async function startChild(
  part: "edge" | "agent",
  env: Record<string, string>,
  hooks: ChildHooks,
): Promise<Child> {
  const log = openSync(hooks.logFile, "a", 0o600);
  const script = join(import.meta.dirname, "child-main.ts");
  const child = fork(script, [part], { detached: true, env, stdio: ["ignore", log, log, "ipc"] });
  closeSync(log);
  const { pid } = child;
  if (pid === undefined) throw new Error(`the ${part} could not be started`);
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
  const reported = new Promise<string | undefined>((resolve) => {
    child.on("message", (message: ChildMessage) => {
      if ("warning" in message) hooks.onWarning(message.warning);
      else resolve("failed" in message ? message.failed : undefined);
    });
  });
  /** The reason of a failed start; undefined once the child is ready. */
  const failure = await Promise.race([
    reported,
    ended.then(() => `the ${part} ended while starting. Its log: ${hooks.logFile}`),
  ]);
  if (failure === undefined) return { pid, ended, stop, crash };
  await stop();
  throw new Refusal(failure);
}

/** Kills what is left of a process group, such as a workerd that outlived its parent. */
export const endGroup = (group: number): void => kill(-group);

/** A part of the stack that can be stopped and started again while the other parts run. */
export type Part = {
  readonly running: boolean;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Kills the process at once, as a crash would. */
  crash(): Promise<void>;
};

/** Makes a part. Calls run one after the other. `onEnd` is called when the part ends without a stop. */
export function makePart(launch: () => Promise<Child>, onEnd: () => void): Part {
  let child: Child | undefined;
  let last: Promise<void> = Promise.resolve();
  const enqueue = (call: () => Promise<void>): Promise<void> => {
    const done = last.then(call);
    last = done.catch(() => undefined);
    return done;
  };
  const start = async () => {
    if (child !== undefined) return;
    const started = await launch();
    child = started;
    void started.ended.then(() => {
      if (child !== started) return;
      child = undefined;
      onEnd();
    });
  };
  /** Forgets the child first, so that its end is not unexpected. */
  const detach = () => {
    const detached = child;
    child = undefined;
    return detached;
  };
  return {
    get running() {
      return child !== undefined;
    },
    start: () => enqueue(start),
    stop: () => enqueue(async () => detach()?.stop()),
    crash: () => enqueue(async () => detach()?.crash()),
  };
}
