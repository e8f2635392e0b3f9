/** Times in Unix ms. `dirtySince` is when the first change came that has not left yet. */
type Accumulated = { lastSentAt?: number; dirtySince?: number };

/**
 * When the collected changes leave, Unix ms, or undefined without changes. They leave at once if nothing left for a window.
 * Otherwise they leave when the window since the last sending is over, however many more come (docs/design/cluster.md,
 * accumulator).
 */
export function nextSendAt(state: Accumulated, windowMs: number): number | undefined {
  if (state.dirtySince === undefined) return undefined;
  return state.lastSentAt === undefined ? state.dirtySince : Math.max(state.dirtySince, state.lastSentAt + windowMs);
}
