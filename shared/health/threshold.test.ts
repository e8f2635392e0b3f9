import { describe, expect, it } from "vitest";
import { failuresToUnhealthy, isHealthyAt, isUnhealthyAt } from "./threshold.ts";

describe("the failure threshold", () => {
  it.each([
    [0, 0, false],
    [1, 0, true],
    [5, 5, false],
    [6, 5, true],
    [100, 100, false],
    [101, 100, true],
  ])("with %i consecutive failures and threshold %i is exceeded: %s", (failures, failureThreshold, expected) => {
    expect(isUnhealthyAt(failures, { failureThreshold })).toBe(expected);
    expect(failures >= failuresToUnhealthy({ failureThreshold })).toBe(expected);
  });
});

describe("the success threshold", () => {
  it.each([
    [0, 1, false],
    [1, 1, true],
    [1, 2, false],
    [2, 2, true],
  ])("with %i consecutive successes and threshold %i is met: %s", (successes, successThreshold, expected) => {
    expect(isHealthyAt(successes, { successThreshold })).toBe(expected);
  });
});
