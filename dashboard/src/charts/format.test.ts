import { expect, test } from "vitest";
import { formatCount, formatMs, formatPercent } from "./format.ts";

test.each([
  [null, "–"],
  [0.84, "0.8 ms"],
  [42.4, "42 ms"],
  [1_240, "1.24 s"],
])("%s ms is %s", (ms, words) => expect(formatMs(ms)).toBe(words));

test.each([
  [null, "–"],
  [1, "100 %"],
  [0, "0 %"],
  [0.9995, "99.95 %"],
  [0.999999, "99.99 %"],
  [0.0000001, "0.01 %"],
])("a share of %s is %s", (share, words) => expect(formatPercent(share)).toBe(words));

test("thousands are apart", () => expect(formatCount(12_480)).toBe("12,480"));
