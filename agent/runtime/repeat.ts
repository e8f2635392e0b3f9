import type { Log } from "./log.ts";

export interface Repeated {
  /** Resolves when the work that is under way has ended. */
  stop(): Promise<void>;
}

/**
 * Does the work again and again, at once and then each time `delayMs()` milliseconds after it ended. What it throws is
 * logged, and ends nothing.
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
