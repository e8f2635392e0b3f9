const FIRST_MS = 1_000;
const MAX_MS = 60_000;

/**
 * How long to wait after a number of failures in a row, in milliseconds. The delay doubles with each failure, up to a
 * minute. Half of the delay is random, so that agents which failed together do not retry together. @param random from 0
 * (included) to 1 (excluded)
 */
export function backoffMs(failures: number, random: number): number {
  const maxMs = Math.min(MAX_MS, FIRST_MS * 2 ** (failures - 1));
  return maxMs / 2 + (random * maxMs) / 2;
}
