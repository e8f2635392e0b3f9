import type { Child } from "./child.ts";

/** A part of the stack that can be stopped and started again while the others go on. */
export type Part = {
  readonly running: boolean;
  readonly pid: number | undefined;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Kills the process at once, as a crash would. */
  crash(): Promise<void>;
};

/** `onEnd` is told when the part has ended without having been asked to. */
export function makePart(launch: () => Promise<Child>, onEnd: () => void): Part {
  let child: Child | undefined;
  const take = () => {
    const taken = child;
    child = undefined;
    return taken;
  };
  return {
    get running() {
      return child !== undefined;
    },
    get pid() {
      return child?.pid;
    },
    async start() {
      if (child !== undefined) return;
      const started = await launch();
      child = started;
      void started.ended.then(() => {
        if (child === started) {
          child = undefined;
          onEnd();
        }
      });
    },
    stop: async () => take()?.stop(),
    crash: async () => take()?.crash(),
  };
}
