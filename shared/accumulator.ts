/** Times in Unix ms. `dirtySince` is when the first change came that has not left yet. */
type Accumulated = { lastSentAt?: number; dirtySince?: number };

/**
 * When what has gathered is to leave, Unix ms, or undefined where nothing has: at once if nothing left for a window,
 * else when the window since the last sending is over, however many more changes come (design §3, accumulator).
 */
export function nextSendAt(state: Accumulated, windowMs: number): number | undefined {
  if (state.dirtySince === undefined) return undefined;
  return state.lastSentAt === undefined ? state.dirtySince : Math.max(state.dirtySince, state.lastSentAt + windowMs);
}
