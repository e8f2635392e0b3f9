import { current, worker } from "./account.ts";

/**
 * By the product's compatibility date, pending timers, fetches and calls keep an object awake and billed, even if no event awaits
 * them. So they are counted as the object's own.
 */
export function countGlobals(): void {
  countTimers();
  const { fetch, console } = globalThis;
  globalThis.fetch = (...given: Parameters<typeof fetch>) => {
    const answer = fetch(...given);
    return current.getStore()?.hold(answer) ?? answer;
  };
  for (const level of ["debug", "log", "info", "warn", "error"] as const) {
    const write = console[level].bind(console);
    console[level] = (...given: unknown[]) => {
      const counts = current.getStore()?.counts ?? worker;
      counts.logLines += 1;
      write(...given);
    };
  }
}

function countTimers(): void {
  const { setTimeout, clearTimeout } = globalThis;
  const ends = new Map<unknown, () => void>();
  const settle = (timer: unknown) => {
    ends.get(timer)?.();
    ends.delete(timer);
  };
  const counted = (work: (...given: unknown[]) => void, ms?: number, ...given: unknown[]) => {
    const account = current.getStore();
    if (account === undefined) return setTimeout(work, ms, ...given);
    account.begin();
    const timer = setTimeout(() => {
      try {
        work(...given);
      } finally {
        settle(timer);
      }
    }, ms);
    ends.set(timer, () => account.end());
    return timer;
  };
  Object.assign(globalThis, {
    setTimeout: counted,
    clearTimeout: (timer: Parameters<typeof clearTimeout>[0]) => {
      settle(timer);
      clearTimeout(timer);
    },
  });
}
