import type { Chart } from "./series.ts";

/** A young history is shown larger, but never fewer steps than this: a line of two points says nothing. */
const FEWEST_STEPS = 20;

/** The times that are worth showing, Unix seconds: the span, or from where its history begins. */
export function visibleTimes({ timesS, lines }: Chart): { fromS: number; toS: number } | undefined {
  const [first, last] = [timesS[0], timesS.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const begin = timesS.findIndex((_, index) => lines.some(({ failed }) => failed[index] !== null));
  const fewest = Math.max(0, timesS.length - FEWEST_STEPS);
  const from = timesS[Math.min(begin < 1 ? 0 : begin - 1, fewest)] ?? first;
  return { fromS: from, toS: last };
}

/** Where a value stands alone between two gaps, so that no line would show it. */
export function lonePoints(values: readonly (number | null | undefined)[]): number[] {
  return values.flatMap((value, index) => {
    const isAlone = value != null && values[index - 1] == null && values[index + 1] == null;
    return isAlone ? [index] : [];
  });
}
