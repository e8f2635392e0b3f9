import type { CoordinatorState } from "../state.ts";

/** An object that hears nothing for this long may be put to sleep: to those waited for, that is the same as a restart. */
const GAP_MS = 10_000;

/** Notes that the coordinator is at work. A gap in its own activity counts as a start (design §3, regions). */
export function noteActivity(state: CoordinatorState, nowMs: number): void {
  if (nowMs - state.lastActiveAt > GAP_MS) state.start = { at: nowMs, lastActiveAt: state.lastActiveAt };
  state.lastActiveAt = Math.max(state.lastActiveAt, nowMs);
}

/**
 * From when on something is waited for that was last heard of at `heardAt` and is given up after `limitMs`. A start
 * begins the wait anew, but not for what was given up before it: else a coordinator that sleeps between two calls of
 * cron would wait for ever.
 */
export function waitStart({ start }: CoordinatorState, heardAt: number, limitMs: number): number {
  const wasGivenUp = start.lastActiveAt !== undefined && start.lastActiveAt - heardAt > limitMs;
  return wasGivenUp ? heardAt : Math.max(heardAt, start.at);
}
