/** The time and the timers of the process. Tests and simulations inject their own. */
export interface Clock {
  /** Unix ms */
  now(): number;
  /** Milliseconds of a clock that never goes back: a changed date does not affect it. */
  elapsedMs(): number;
  /** Runs the callback once, after the delay. Returns a function that cancels it. */
  setTimer(callback: () => void, delayMs: number): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsedMs: () => performance.now(),
  setTimer: (callback, delayMs) => {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};
