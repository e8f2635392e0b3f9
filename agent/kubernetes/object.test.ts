import { expect, test } from "vitest";
import { isOlderVersion } from "./object.ts";

test.each([
  ["9", "10", true],
  ["10", "9", false],
  ["10", "10", false],
  ["9007199254740993", "9007199254740994", true],
  ["99999999999999999999999", "100000000000000000000000", true],
  ["9", "abc", false],
  ["abc", "9", false],
  ["09", "10", false],
  ["0", "10", false],
  ["9", undefined, false],
  [undefined, "9", false],
])("%s is older than %s: %s", (a, b, expected) => {
  expect(isOlderVersion(a, b)).toBe(expected);
});
