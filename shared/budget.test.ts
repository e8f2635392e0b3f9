import { expect, it } from "vitest";
import { type Budget, spend } from "./budget.ts";

const RULE = { most: 3, everyMs: 10 };

/** At which of the times something could be spent. */
function spentAt(times: readonly number[]): number[] {
  let budget: Budget | undefined;
  return times.filter((time) => {
    const after = spend(budget, RULE, time);
    budget = after ?? budget;
    return after !== undefined;
  });
}

it.each([
  ["at once as many as there are", [0, 0, 0, 0, 0], [0, 0, 0]],
  ["then one each interval", [0, 0, 0, 9, 10, 11, 19, 20], [0, 0, 0, 10, 20]],
  ["what is given back does not wait for a question", [0, 0, 0, 25, 25, 25, 30], [0, 0, 0, 25, 25, 30]],
  ["it never grows beyond that", [0, 1000, 1000, 1000, 1000], [0, 1000, 1000, 1000]],
  ["a clock that goes back a little gives nothing, and takes nothing", [50, 50, 50, 45, 59, 60], [50, 50, 50, 60]],
  ["one that was put back by more begins anew", [50, 50, 50, 0, 0, 0, 0, 10], [50, 50, 50, 0, 0, 0, 10]],
])("%s", (_, times, spent) => {
  expect(spentAt(times)).toEqual(spent);
});
