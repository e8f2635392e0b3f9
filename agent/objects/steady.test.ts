import { describe, expect, it } from "vitest";
import { steadyFailures } from "./steady.ts";

describe("failures in a row", () => {
  it.each([
    ["are shown as they are at first", 9, undefined, false, 9],
    ["are shown as they are up to the threshold", 3, 2, false, 3],
    ["are shown as they are when they go beyond it", 4, 3, false, 4],
    ["stand beyond it", 9, 4, false, 4],
    ["are exact when times are refreshed", 9, 4, true, 9],
    ["are shown as they are when they began anew", 5, 9, false, 5],
    ["are none any more", 0, 9, false, 0],
    ["are whole numbers", 2.7, undefined, false, 2],
    ["are not below none", -1, undefined, false, 0],
  ])("%s", (_, count, shown, refreshTimes, expected) => {
    expect(steadyFailures({ count, failureThreshold: 3, shown, refreshTimes })).toBe(expected);
  });
});
