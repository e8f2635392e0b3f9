import { expect, test } from "vitest";
import { lineStyle, lonePoints, visibleTimes } from "./plot-options.ts";
import type { Chart } from "./series.ts";

function chart(steps: number, seenAt: number[]): Chart {
  const failed = Array.from({ length: steps }, (_, index) => (seenAt.includes(index) ? 0 : null));
  return { timesS: failed.map((_, index) => index * 60), lines: [{ failed } as Chart["lines"][number]] };
}

test.each([
  [100, [0, 99], 0],
  [100, [50], 49 * 60],
  [100, [95], 80 * 60],
  [100, [], 0],
  [10, [9], 0],
])("of %i steps with checks at %j the chart begins at %i s", (steps, seenAt, fromS) => {
  expect(visibleTimes(chart(steps, seenAt))).toEqual({ fromS, toS: (steps - 1) * 60 });
});

test("without a step nothing is visible", () => expect(visibleTimes({ timesS: [], lines: [] })).toBeUndefined());

test("a value between two gaps stands alone", () => {
  expect(lonePoints([1, null, 2, 3, null, null, 4])).toEqual([0, 6]);
});

test("eleven regions have eleven dash patterns", () => {
  const dashes = Array.from({ length: 11 }, (_, index) => lineStyle(index).dash.join(" "));
  expect(new Set(dashes).size).toBe(11);
});
