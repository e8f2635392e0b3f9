/**
 * The shortest of a few tries, in ms; the first that keeps the limit is the last one made. A busy machine makes a try longer,
 * never shorter. So a promise about time is broken only if no try keeps it.
 */
export async function bestOf(tries: number, limitMs: number, attempt: () => Promise<number>): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let made = 0; made < tries && best > limitMs; made += 1) best = Math.min(best, await attempt());
  return best;
}
