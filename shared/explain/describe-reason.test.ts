import { expect, it } from "vitest";
import { REASON_NAMES } from "../reason.ts";
import { describeReason } from "./describe-reason.ts";

it.each(REASON_NAMES)("says %s in words", (reason) => {
  expect(describeReason({ reason })).toMatch(/^[a-zA-Z]+( [a-z]+)*$/);
});

it("each in words of its own", () => {
  expect(new Set(REASON_NAMES.map((reason) => describeReason({ reason }))).size).toBe(REASON_NAMES.length);
});

it("names the status that was not expected, and no other", () => {
  expect(describeReason({ reason: "UnexpectedStatus", httpStatus: 503 })).toBe("unexpected status 503");
  expect(describeReason({ reason: "BodyMismatch", httpStatus: 200 })).toBe("body mismatch");
});
