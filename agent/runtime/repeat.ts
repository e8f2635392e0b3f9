import type { Log } from "./log.ts";

export interface Repeated {
  /** Resolves when the work in flight has ended. */
  stop(): Promise<void>;
}

/**
 * Runs the work at once, and then again `delayMs()` milliseconds after each end. An error is logged, and the work runs again.
 */
export function repeat(work: () => Promise<void>, delayMs: () => number, log: Log): Repeated {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const run = async () => {
    try {
      await work();
    } catch (error) {
      log("warn", `Unexpected: ${(error as Error).message}`);
    }
    if (!stopped) timer = setTimeout(start, delayMs());
  };
  let running = run();
  const start = () => {
    running = run();
  };
  return {
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
