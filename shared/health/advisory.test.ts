import { describe, expect, it } from "vitest";
import { policy, regions } from "../../test/support/rules.ts";
import type { Verdict } from "../model/status.ts";
import { type AdvisedRegion, isSameAdvice, probeAdvisories } from "./advisory.ts";
import { flappingOf, isSameTurn, type Recent, remember } from "./flapping.ts";
import { type RegionTurns, regionSuspects } from "./region-suspect.ts";

const NOON = Date.UTC(2026, 10, 30, 12);

function advise(verdict: Verdict, words: string, more: Partial<AdvisedRegion> = {}) {
  const advised = regions(words).map((word) => ({ ...word, recent: [], ...more }));
  return probeAdvisories({ verdict, since: NOON - 60_000 }, advised, policy);
}

describe("Dissent", () => {
  it("names the region, since when, and how often", () => {
    expect(advise("Healthy", "u+20 h+ h+", { saysSince: NOON })).toEqual([
      {
        type: "Dissent",
        message:
          "wnam says Unhealthy since 2026-11-30T12:00:00.000Z (20 failed checks in a row); the verdict is Healthy",
        regions: ["wnam"],
        since: NOON,
      },
    ]);
  });

  it("goes the other way too, and begins with the verdict at the earliest", () => {
    const [advisory] = advise("Unhealthy", "u+ u+ h+9", { saysSince: 1 });
    expect(advisory).toMatchObject({ type: "Dissent", regions: ["sam"], since: NOON - 60_000 });
  });

  it("is a matter of fresh regions with a word of their own", () => {
    expect(advise("Healthy", "h+ h+ p+2")).toEqual([]);
    expect(advise("Healthy", "h+ h+ u-").filter(({ type }) => type === "Dissent")).toEqual([]);
    expect(advise("Pending", "u+ p+0 p+0")).toEqual([]);
  });
});

describe("InsufficientFreshRegions", () => {
  it("says that a failure could not be confirmed", () => {
    expect(advise("Healthy", "h+ h- h-")).toEqual([
      {
        type: "InsufficientFreshRegions",
        message: "1 of 3 regions can be heard, and 2 have to agree before the endpoint is withdrawn",
        regions: ["enam", "sam"],
      },
    ]);
  });

  it("is no matter while enough are heard, or only awaited", () => {
    expect(advise("Healthy", "h+ h+ h-")).toEqual([]);
    expect(advise("Pending", "p?0 p?0 p?0")).toEqual([]);
  });
});

describe("Flapping", () => {
  /** `o` is a good check, `f` one that fails, `u` one with which the region says unhealthy. */
  const pattern = (text: string): Recent =>
    [...text].reduce<Recent>(
      (recent, letter) =>
        remember(recent, letter === "o" ? "ok" : "failed", letter === "u" ? "Unhealthy" : "Healthy", false),
      [],
    );

  it("shows a failure ratio that never crosses a threshold", () => {
    const [advisory] = advise("Healthy", "h+1 h+ h+", { recent: pattern("ofofofofof") });
    expect(advisory?.message).toBe("5 of the last 10 checks from wnam failed, never enough in a row to count");
  });

  it("not where the region, or the verdict, says unhealthy already", () => {
    const recent = pattern("fffffffffff");
    const flaps = (verdict: Verdict, words: string) =>
      advise(verdict, words, { recent }).filter(({ type }) => type === "Flapping");
    expect(flaps("Healthy", "u+ u+ u+")).toEqual([]);
    expect(flaps("Unhealthy", "h+ h+ h+")).toEqual([]);
  });

  it.each([
    ["too few checks", "fofofofof", false],
    ["a fifth of them", "ffoooooooo", true],
    ["less than that", "foooooooooo", false],
    ["failures that did count, once they are over", `fffuu${"o".repeat(15)}`, false],
    ["failures since such an outage", `fffuu${"o".repeat(8)}ff`, true],
    ["failures that have left the window", `${"f".repeat(10)}${"o".repeat(20)}`, false],
  ])("%s: %s", (_, text, flaps) => {
    expect(flappingOf(pattern(text)) !== undefined).toBe(flaps);
  });

  it("trouble of our own is no check", () => {
    expect(remember([true], "indeterminate", "Healthy", false)).toEqual([true]);
  });

  it("what a turn looked at several times is one check, which failed if one did", () => {
    const INTERVAL_MS = 30_000;
    /** A failure at 0 s that is confirmed each 3 s until `endsAtS`, and a good turn each 30 s after that. */
    const recentOf = (endsAtS: number): Recent => {
      const confirmations = Array.from({ length: endsAtS / 3 + 1 }, (_, n) => n * 3);
      const turns = Array.from({ length: 9 }, (_, n) => (n + 1) * 30);
      let begunAt = Number.NEGATIVE_INFINITY;
      return [...confirmations, ...turns].reduce<Recent>((recent, second) => {
        const ofSameTurn = isSameTurn(begunAt, second * 1000, INTERVAL_MS);
        if (!ofSameTurn) begunAt = second * 1000;
        return remember(recent, second < endsAtS ? "failed" : "ok", "Healthy", ofSameTurn);
      }, []);
    };
    expect(recentOf(12)).toEqual([true, ...Array(9).fill(false)]);
    expect(flappingOf(recentOf(12))).toBeUndefined();
  });
});

it("the same advice in other counts is the same advice: nothing is written for it", () => {
  const at = (failures: number) => advise("Healthy", `u+${failures} h+ h+`, { saysSince: NOON });
  expect(isSameAdvice(at(4), at(5))).toBe(true);
  expect(isSameAdvice(at(4), [])).toBe(false);
  expect(isSameAdvice(at(4), advise("Healthy", "u+4 h+ h+", { saysSince: NOON + 1 }))).toBe(false);
});

describe("RegionSuspect", () => {
  const calm = (region: RegionTurns["region"]): RegionTurns => ({ region, probes: 4, unhealthySince: [] });
  const turned: RegionTurns = { region: "weur", probes: 4, unhealthySince: [NOON, NOON + 20_000, NOON + 25_000] };

  it("most probes of one region turned at the same moment", () => {
    expect(regionSuspects([turned, calm("enam"), calm("apac")], 30_000)).toEqual([
      {
        type: "RegionSuspect",
        message: "most of the 4 probes in weur turned unhealthy at once, and in most other regions they did not",
        regions: ["weur"],
        since: NOON,
      },
    ]);
  });

  it("the window is as long as it says", () => {
    expect(regionSuspects([turned, calm("enam"), calm("apac")], 25_000)).toHaveLength(1);
    expect(regionSuspects([turned, calm("enam"), calm("apac")], 24_999)).toEqual([]);
  });

  it.each<[string, RegionTurns[], number]>([
    ["not within the window", [turned, calm("enam"), calm("apac")], 20_000],
    ["not most of them", [{ ...turned, probes: 6 }, calm("enam"), calm("apac")], 30_000],
    [
      "too few to tell",
      [{ region: "weur", probes: 2, unhealthySince: [NOON, NOON] }, calm("enam"), calm("apac")],
      30_000,
    ],
    [
      "the other regions saw it too: it is the endpoints",
      [turned, { ...turned, region: "enam" }, calm("apac")],
      30_000,
    ],
    ["half of the regions saw it: no evidence either way", [turned, calm("enam")], 30_000],
    ["the only region has nobody to be measured by", [turned], 30_000],
  ])("is not raised: %s", (_, turns, windowMs) => {
    expect(regionSuspects(turns, windowMs)).toEqual([]);
  });
});
