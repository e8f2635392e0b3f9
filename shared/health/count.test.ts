import { describe, expect, it } from "vitest";
import type { Outcome } from "../reason.ts";
import { count, NO_COUNTS, reassess, saturate } from "./count.ts";
import type { Thresholds } from "./threshold.ts";

const LETTERS: Record<string, Outcome> = { o: "ok", f: "failed", i: "indeterminate" };

/** What the region says after each letter: `P`ending, `H`ealthy, `U`nhealthy. */
function say(outcomes: string, thresholds: Thresholds): string {
  let counts = NO_COUNTS;
  return [...outcomes]
    .map((letter) => {
      counts = count(counts, LETTERS[letter] ?? "ok", thresholds);
      return counts.says[0];
    })
    .join("");
}

describe("counting, per probe and region", () => {
  it.each([
    ["the third failure crosses, not the first two", "fff", 2, 2, "PPU"],
    ["nothing was ever in order: no verdict before a threshold", "ff", 2, 2, "PP"],
    ["one failure is enough with a failureThreshold of 0", "f", 0, 1, "U"],
    ["recovery takes successThreshold successes", "fffoo", 2, 2, "PPUUH"],
    ["a failure in between starts the successes anew", "fffofoo", 2, 2, "PPUUUUH"],
    ["a success in between starts the failures anew", "ooffofff", 2, 2, "PHHHHHHU"],
    ["pass-fail-fail-fail with S=1 turns on every third failure and every success", "offfofff", 2, 1, "HHHUHHHU"],
    ["pass-fail-fail-fail with S=2 turns once and stays", "offfofffofff", 2, 2, "PPPUUUUUUUUU"],
    ["trouble of our own neither raises nor resets", "fififo", 2, 1, "PPPPUH"],
    ["trouble of our own, however often, says nothing", "iiiiiiiiii", 0, 1, "PPPPPPPPPP"],
  ])("%s: %s", (_, outcomes, failureThreshold, successThreshold, words) => {
    expect(say(outcomes, { failureThreshold, successThreshold })).toBe(words);
  });

  it("applies edited thresholds to the counts as they stand, and keeps its word in between", () => {
    const failing = { failures: 3, successes: 0, says: "Pending" as const };
    const low = reassess(failing, { failureThreshold: 2, successThreshold: 1 });
    expect(low).toEqual({ failures: 3, successes: 0, says: "Unhealthy" });
    expect(reassess(low, { failureThreshold: 5, successThreshold: 1 }).says).toBe("Unhealthy");
  });

  it("saturates what is stored, so that a steady round changes nothing", () => {
    const thresholds = { failureThreshold: 2, successThreshold: 2 };
    const stored = saturate({ failures: 0, successes: 2, says: "Healthy" }, thresholds);
    expect(saturate(count(stored, "ok", thresholds), thresholds)).toEqual(stored);
    expect(saturate({ failures: 9, successes: 0, says: "Unhealthy" }, thresholds).failures).toBe(3);
  });
});
