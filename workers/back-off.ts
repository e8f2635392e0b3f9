const FIRST_MS = 1_000;

/**
 * The delay after consecutive failures, ms: doubled each time, with jitter down to half, at most `longestMs`.
 * `random` is in [0, 1).
 */
export function backOffMs(failures: number, longestMs: number, random: number): number {
  const fullMs = Math.min(longestMs, FIRST_MS * 2 ** (failures - 1));
  return Math.round(fullMs * (0.5 + random / 2));
}
