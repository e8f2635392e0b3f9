import { expect, it } from "vitest";
import { nextSendAt } from "./accumulator.ts";

it.each([
  ["nothing has gathered", { lastSentAt: 500 }, undefined],
  ["nothing ever left: at once", { dirtySince: 500 }, 500],
  ["nothing left for a window: at once", { lastSentAt: 100, dirtySince: 1_200 }, 1_200],
  ["something just left: when its window is over", { lastSentAt: 1_000, dirtySince: 1_200 }, 2_000],
  ["exactly a window later: at once", { lastSentAt: 200, dirtySince: 1_200 }, 1_200],
])("%s", (_, state, at) => {
  expect(nextSendAt(state, 1_000)).toBe(at);
});

it("more changes that keep coming put off nothing", () => {
  // One change each 100 ms for 5 s; the window is 1 s: the first leaves at once, then one sending each second.
  const sent: number[] = [];
  let state: { lastSentAt?: number; dirtySince?: number } = {};
  for (let nowMs = 0; nowMs <= 5_000; nowMs += 100) {
    state = { ...state, dirtySince: state.dirtySince ?? nowMs };
    if ((nextSendAt(state, 1_000) ?? Number.POSITIVE_INFINITY) > nowMs) continue;
    sent.push(nowMs);
    state = { lastSentAt: nowMs };
  }
  expect(sent).toEqual([0, 1_000, 2_000, 3_000, 4_000, 5_000]);
});
