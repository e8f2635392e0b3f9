import { expect, test } from "vitest";
import { agoWords, utcWords } from "./ago.ts";

const NOW = Date.UTC(2026, 10, 30, 12, 4, 31, 500);

test.each([
  [0, "now"],
  [999, "now"],
  [12_400, "12 s ago"],
  [59_999, "59 s ago"],
  [60_000, "1 min ago"],
  [7_300_000, "2 h ago"],
  [200_000_000, "2 d ago"],
  [-90_000, "in 1 min"],
])("%i ms before now is %j", (beforeMs, words) => {
  expect(agoWords(NOW - beforeMs, NOW)).toBe(words);
});

test("UTC to the second", () => {
  expect(utcWords(NOW)).toBe("2026-11-30 12:04:31 UTC");
});
