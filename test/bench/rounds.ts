/** CPU time of each round of a contender, in milliseconds for one run. */
export type Rounds = number[];

/** A contender in a comparison. `run` does the work `times` times and returns its total CPU time, in ms. */
export interface Contender {
  name: string;
  run: (times: number) => Promise<number>;
}

/** Rounds in turn, so that what else the machine does falls on all alike. A first round of each is not counted. */
export async function race(
  contenders: readonly Contender[],
  plan: { rounds: number; times: number },
  onRound: (round: number) => void,
): Promise<Rounds[]> {
  const measured: Rounds[] = contenders.map(() => []);
  for (let round = 0; round <= plan.rounds; round++) {
    onRound(round);
    for (const [place, { run }] of contenders.entries()) {
      const ms = (await run(plan.times)) / plan.times;
      if (round > 0) measured[place]?.push(ms);
    }
  }
  return measured;
}

const sorted = (values: readonly number[]) => values.toSorted((left, right) => left - right);

export function median(values: readonly number[]): number {
  const all = sorted(values);
  const [low, high] = [all[(all.length - 1) >> 1], all[all.length >> 1]];
  return ((low ?? Number.NaN) + (high ?? Number.NaN)) / 2;
}

/** `2.71 (2.60 to 3.02)`: the median, and from the least to the most. */
export function spread(values: readonly number[]): string {
  const all = sorted(values);
  return `${median(all).toFixed(2)} (${all[0]?.toFixed(2)} to ${all.at(-1)?.toFixed(2)})`;
}

/** Round by round, as both sides of a round met the same machine. */
export const ratios = (ours: Rounds, theirs: Rounds): number[] => ours.map((ms, at) => ms / (theirs[at] ?? Number.NaN));
