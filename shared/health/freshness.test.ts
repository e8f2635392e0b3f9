import { expect, it } from "vitest";
import { freshnessOf } from "./freshness.ts";

const STALE_AFTER_MS = 100;

it.each([
  ["a check as old as staleAfter is still fresh", { checkedAt: 900, awaitedFrom: 0 }, "Fresh"],
  ["one older is not", { checkedAt: 899, awaitedFrom: 0 }, "Silent"],
  ["a region that was just given the probe is awaited", { awaitedFrom: 900 }, "Awaited"],
  ["and not for ever", { awaitedFrom: 899 }, "Silent"],
  ["after the coordinator's own gap an old check is awaited again", { checkedAt: 1, awaitedFrom: 950 }, "Awaited"],
])("%s", (_, seen, freshness) => {
  expect(freshnessOf(seen, STALE_AFTER_MS, 1_000)).toBe(freshness);
});
