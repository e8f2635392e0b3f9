const FIRST_MS = 1_000;
const MOST_MS = 60_000;

/**
 * How long to wait after a number of failures in a row, in milliseconds: twice as long each time, with half of it left to
 * chance, so that agents which failed together do not come back together.
 *
 * @param random from 0 (included) to 1 (excluded)
 */
export function backoffMs(failures: number, random: number): number {
  const most = Math.min(MOST_MS, FIRST_MS * 2 ** (failures - 1));
  return most / 2 + (random * most) / 2;
}
