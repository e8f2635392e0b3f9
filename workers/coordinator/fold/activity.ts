import type { CoordinatorState } from "../state.ts";

/** The platform may put an object to sleep after this long without calls. For waiting, that equals a restart. */
const GAP_MS = 10_000;

/** Records that the coordinator is active. A gap in its own activity counts as a start. */
export function noteActivity(state: CoordinatorState, nowMs: number): void {
  if (nowMs - state.lastActiveAt > GAP_MS) state.start = { at: nowMs, lastActiveAt: state.lastActiveAt };
  state.lastActiveAt = Math.max(state.lastActiveAt, nowMs);
}

/**
 * When the wait for a sender begins, Unix ms. It was last heard at `heardAt`, and is given up after `limitMs`. A
 * start restarts the wait, except for senders that were given up before it. Otherwise a coordinator that sleeps
 * between two cron calls would wait forever.
 */
export function waitStart({ start }: CoordinatorState, heardAt: number, limitMs: number): number {
  const wasGivenUp = start.lastActiveAt !== undefined && start.lastActiveAt - heardAt > limitMs;
  return wasGivenUp ? heardAt : Math.max(heardAt, start.at);
}
