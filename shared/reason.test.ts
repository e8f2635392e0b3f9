import { expect, it } from "vitest";
import { outcomeOf, REASON_NAMES, REASONS, type Reason } from "./reason.ts";

it.each<[string, Reason[]]>([
  ["ok", ["Ok"]],
  ["indeterminate", ["NotProbeable", "HeadersUnreadable", "ResolverFailed", "ProberUnreachable", "InternalError"]],
])("counts as %s: %j", (outcome, reasons) => {
  expect(REASON_NAMES.filter((reason) => outcomeOf(reason) === outcome)).toEqual(reasons);
});

it("only a fault of the target counts as a failure", () => {
  const failed = REASON_NAMES.filter((reason) => outcomeOf(reason) === "failed");
  expect(failed.every((reason) => REASONS[reason] === "target")).toBe(true);
  expect(failed).toContain("ConnectTimeout");
});
