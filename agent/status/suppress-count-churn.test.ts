import { describe, expect, it } from "vitest";
import { suppressFailureChurn, suppressSuccessChurn } from "./suppress-count-churn.ts";

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
    expect(suppressFailureChurn({ count, failureThreshold: 3, shown, refreshTimes })).toBe(expected);
  });
});

describe("successes in a row", () => {
  const healthy = { consecutiveSuccesses: 1, says: "Healthy" };
  it.each([
    ["are shown as they are at first", 1, undefined, false, 1],
    ["are shown up to the threshold", 9, undefined, false, 2],
    ["stand while the region says the same", 2, healthy, false, 1],
    ["are exact when times are refreshed", 2, healthy, true, 2],
    ["are shown anew once the region says something else", 2, { ...healthy, says: "Unhealthy" }, false, 2],
    ["are none any more", 0, healthy, false, 0],
    ["begin anew", 1, { ...healthy, consecutiveSuccesses: 0 }, false, 1],
  ])("%s", (_, count, shown, refreshTimes, expected) => {
    expect(suppressSuccessChurn({ count, says: "Healthy", successThreshold: 2, shown, refreshTimes })).toBe(expected);
  });
});
