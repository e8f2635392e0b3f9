const FIRST_MS = 1_000;

/**
 * How long to wait after so many failures in a row, ms: doubled each time, with jitter down to half, and no longer than
 * `longestMs`. `random` is from 0 to below 1.
 */
export function backOffMs(failures: number, longestMs: number, random: number): number {
  const fullMs = Math.min(longestMs, FIRST_MS * 2 ** (failures - 1));
  return Math.round(fullMs * (0.5 + random / 2));
}
