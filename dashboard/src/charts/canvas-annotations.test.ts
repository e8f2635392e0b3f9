import { expect, test } from "vitest";
import { spread } from "./canvas-annotations.ts";

test.each([
  [
    [50, 10],
    [50, 10],
  ],
  [
    [50, 52, 49],
    [59, 69, 49],
  ],
  [
    [98, 99],
    [90, 100],
  ],
  [
    [0, 0, 0],
    [0, 10, 20],
  ],
  [[], []],
])("%j is spread to %j", (places, expected) => {
  expect(spread(places, 10, 0, 100).map(Math.round)).toEqual(expected);
});

test("more labels than there is room for keep their distance", () => {
  expect(spread([5, 5, 5], 10, 0, 15)).toEqual([0, 10, 20]);
});
