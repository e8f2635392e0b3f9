import { expect, test } from "vitest";
import { healthCheck } from "../shared/model/health-check.ts";
import { leavesWithinMs, returnsWithinMs } from "./narrator.ts";

test("the limits of the demo's record", () => {
  const check = healthCheck.parse({
    protocol: "HTTP",
    interval: "2s",
    timeout: "1s",
    failureThreshold: 2,
    successThreshold: 2,
  });
  expect(leavesWithinMs(check)).toBe(8_000);
  expect(returnsWithinMs(check)).toBe(6_000);
});
