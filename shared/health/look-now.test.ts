import { describe, expect, it } from "vitest";
import type { Counts } from "../model/probe.ts";
import type { Region } from "../model/region.ts";
import type { Freshness } from "./freshness.ts";
import { hasBegunToDiffer, type Other, regionsToAsk } from "./look-now.ts";

/** `h` healthy, `u` unhealthy, `p` pending; then failures in a row, or `+` and successes in a row. */
function counts(text: string): Counts {
  const says = ({ h: "Healthy", u: "Unhealthy", p: "Pending" } as const)[text[0] ?? ""] ?? "Pending";
  const number = Number(text.slice(-1));
  return text[1] === "+" ? { says, failures: 0, successes: number } : { says, failures: number, successes: 0 };
}

describe("a region begins to differ", () => {
  it.each([
    ["with its first failure", "h+2", "h1", true],
    ["with the failure that is enough", "h+2", "u1", true],
    ["with its first success", "u3", "u+1", true],
    ["with the success that is enough", "u3", "h+1", true],
    ["not with the second failure", "h1", "h2", false],
    ["not where it turns after that", "h2", "u3", false],
    ["not where it is itself again", "h1", "h+1", false],
    ["not with one more of the same", "h+2", "h+3", false],
    ["nor of what fails on", "u3", "u4", false],
    ["nor where it said nothing yet", "p0", "p1", false],
    ["nor with its first word", "p+1", "h+2", false],
  ])("%s", (_, before, after, begins) => {
    expect(hasBegunToDiffer(counts(before), counts(after))).toBe(begins);
  });
});

describe("the regions that look at once", () => {
  const BEGUN = { region: "weur" as Region, said: "Healthy" as const, checkedAt: 100 };
  const other = (text: string, checkedAt = 90, freshness: Freshness = "Fresh", isAsked = false): Other[] => [
    { region: "weur", freshness: "Fresh", counts: counts("h1"), checkedAt: 100, isAsked: false },
    { region: "apac", freshness, counts: counts(text), checkedAt, isAsked },
  ];

  it.each([
    ["one that is sure of what the other said", other("h+2"), ["apac"]],
    ["one that is only awaited", other("h+2", 90, "Awaited"), ["apac"]],
    ["none that differs itself", other("h1"), []],
    ["none that says the other thing already", other("u3"), []],
    ["none that has said nothing yet", other("p+1"), []],
    ["none that has looked since", other("h+3", 101), []],
    ["none that was asked already", other("h+2", 90, "Fresh", true), []],
    ["none that is silent", other("h+2", 90, "Silent"), []],
  ])("%s", (_, words, asked) => {
    expect(regionsToAsk(BEGUN, words)).toEqual(asked);
  });

  it("are asked the other way round, too", () => {
    expect(regionsToAsk({ ...BEGUN, said: "Unhealthy" }, other("u3"))).toEqual(["apac"]);
    expect(regionsToAsk({ ...BEGUN, said: "Unhealthy" }, other("h+2"))).toEqual([]);
  });
});
