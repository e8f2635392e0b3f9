import { describe, expect, it } from "vitest";
import type { MessageNumber } from "../../shared/model/number.ts";
import { changes, contact, delivery } from "../../test/support/agent/delivered.ts";
import type { Applied } from "../controller.ts";
import { isChanges, resultOf } from "./delivery-result.ts";

const number = (n: number): MessageNumber => ({ epoch: 1, n });
const applied = (n: number): Applied => ({ kind: "Applied", number: number(n), takesChanges: true });

describe("what became of a delivery", () => {
  it.each<[string, Applied, unknown]>([
    ["applied", applied(5), delivery(number(5), [])],
    ["applied", applied(6), delivery(number(5), [])],
    ["applied", applied(5), changes(number(4), number(5), [])],
    ["base_missing", applied(3), changes(number(4), number(5), [])],
    ["contact", applied(5), contact(number(5), 1)],
    ["contact", applied(3), contact(number(5), 1)],
    ["refused", { kind: "Refused", message: "x" }, null],
    ["not_stored", { kind: "NotStored" }, delivery(number(5), [])],
  ])("is %s after %j", (result, outcome, json) => {
    expect(resultOf(outcome, json)).toBe(result);
  });
});

it.each([
  [changes(number(4), number(5), []), true],
  [delivery(number(5), []), false],
  [undefined, false],
  [null, false],
  ["Changes", false],
])("of %j it is known whether it is one of changes", (json, isIt) => {
  expect(isChanges(json)).toBe(isIt);
});
