import { describe, expect, it } from "vitest";
import { policy, regions } from "../../test/support/rules.ts";
import type { Verdict } from "../model/status.ts";
import { consecutiveFailures, judge, type Policy } from "./verdict.ts";

const NOW = 1_000;
const proven = (verdict: Verdict) => ({ verdict, since: 1, provenAt: 1 });
const unproven = (verdict: Verdict) => ({ verdict, since: 1 });
const freeze: Policy = { ...policy, whenSilent: "Freeze" };
const any: Policy = { ...policy, quorum: 1 };

/*
 * Regions: word (u h p), freshness (+ fresh, ? awaited, - silent), count. Two of three have to agree; three failures
 * are one above the threshold, two successes at it.
 */
describe("clause 1: k fresh regions above the threshold", () => {
  it.each<[string, string, Verdict]>([
    ["one of three is not enough", "u+3 h+ h+", "Healthy"],
    ["two of three are", "u+3 u+3 h+", "Unhealthy"],
    ["the second one short of crossing is not", "u+3 p+2 h+", "Healthy"],
    ["a silent region's word does not withdraw", "u+3 u-9 h+", "Healthy"],
    ["nor does an awaited one's", "u+3 u?9 h+", "Healthy"],
    ["a region that still says unhealthy, with a failure count of 0, does not either", "u+0 u+3 h+", "Healthy"],
  ])("%s: %s", (_, words, verdict) => {
    expect(judge(proven("Healthy"), regions(words), policy, NOW).verdict).toBe(verdict);
  });

  it("holds for a probe that was never in order, and for an Unknown one", () => {
    expect(judge(undefined, regions("u+3 u+3 p?0"), policy, NOW).verdict).toBe("Unhealthy");
    expect(judge(proven("Unknown"), regions("u+3 u+3 h-"), policy, NOW).verdict).toBe("Unhealthy");
  });
});

describe("clause 2: no region is fresh", () => {
  it.each<[string, Verdict, string, Policy, Verdict]>([
    ["all silent: Unknown", "Healthy", "h- h- h-", policy, "Unknown"],
    [
      "all silent while Unhealthy: Unknown, for total silence counts as healthy",
      "Unhealthy",
      "u- u- h-",
      policy,
      "Unknown",
    ],
    ["one still awaited: as it was", "Unhealthy", "u- u- h?", policy, "Unhealthy"],
    ["Freeze: as it was", "Unhealthy", "u- u- h-", freeze, "Unhealthy"],
    ["Freeze: as it was", "Healthy", "u- u- u-", freeze, "Healthy"],
  ])("%s (%s)", (_, before, words, under, verdict) => {
    expect(judge(proven(before), regions(words), under, NOW).verdict).toBe(verdict);
  });

  it("a new probe is Pending while it is awaited, and Unknown once nobody can be heard", () => {
    expect(judge(undefined, regions("p?0 p?0 p?0"), policy, NOW).verdict).toBe("Pending");
    expect(judge(undefined, regions("p-0 p-0 p-0"), policy, NOW).verdict).toBe("Unknown");
    expect(judge(undefined, regions("p-0 p-0 p-0"), freeze, NOW).verdict).toBe("Pending");
  });
});

describe("clause 3: Unhealthy and Unknown stay until enough is known", () => {
  it.each<[string, Verdict, string, Policy, Verdict]>([
    ["one of two recovered: fewer than two say unhealthy", "Unhealthy", "u+3 h+2 h+2", policy, "Healthy"],
    [
      "the first dissenter to report after a gap does not decide for the others",
      "Unhealthy",
      "u?3 u?3 h+2",
      policy,
      "Unhealthy",
    ],
    ["once the others are silent it does", "Unhealthy", "u-3 u-3 h+2", policy, "Healthy"],
    ["nobody stands at the success threshold", "Unhealthy", "u+1 u+0 h+1", policy, "Unhealthy"],
    [
      "a region silenced in mid-fault keeps its word while another still says so",
      "Unhealthy",
      "u+3 u- h+2",
      policy,
      "Unhealthy",
    ],
    [
      "with Publish no fresh region says so: the silent ones count as healthy",
      "Unhealthy",
      "h+2 u- u-",
      policy,
      "Healthy",
    ],
    ["with Freeze the silent ones' last word stands", "Unhealthy", "h+2 u- u-", freeze, "Unhealthy"],
    ["with Freeze awaited regions count as if they said so", "Unhealthy", "h+2 p?0 p?0", freeze, "Unhealthy"],
    ["with Publish an awaited one does, while a fresh one says so", "Unhealthy", "h+2 u+1 h?0", policy, "Unhealthy"],
    ["Unknown ends with the first region at the threshold", "Unknown", "h+2 u- h-", policy, "Healthy"],
    ["Unknown stays while that region has not got there", "Unknown", "h+1 u- h-", policy, "Unknown"],
    ["quorum Any: every region has to take its word back", "Unhealthy", "u+0 h+2 h+2", any, "Unhealthy"],
    ["quorum Any: and then it is over", "Unhealthy", "h+2 h+2 h+2", any, "Healthy"],
  ])("%s (%s: %s)", (_, before, words, under, verdict) => {
    expect(judge(proven(before), regions(words), under, NOW).verdict).toBe(verdict);
  });
});

describe("clauses 4 and 5: proven once, Healthy ever after", () => {
  it.each<[string, string, Policy, boolean]>([
    ["two of three regions at the threshold", "h+2 h+2 p+1", policy, true],
    ["one of three is not enough", "h+2 p+0 p+0", policy, false],
    ["with one silent, one of the two others is", "h+2 p+1 p-0", policy, true],
    ["with two silent, one is", "h+2 p-0 p-0", policy, true],
    ["an awaited region is not silent", "h+2 p?0 p-0", policy, true],
    ["two awaited ones are waited for", "h+2 p?0 p?0", policy, false],
    ["Freeze: all three count", "h+2 p-0 p-0", freeze, false],
    ["quorum Any: all three have to be in order", "h+2 h+2 p+1", any, false],
    ["quorum Any: and they are", "h+2 h+2 h+2", any, true],
    ["one success short", "h+1 h+2 p+0", policy, false],
  ])("%s: %s", (_, words, under, isProven) => {
    const standing = judge(undefined, regions(words), under, NOW);
    expect(standing).toEqual(
      isProven ? { verdict: "Healthy", since: NOW, provenAt: NOW } : { verdict: "Pending", since: NOW },
    );
  });

  it("stays proven whatever is edited, and keeps since when its verdict stands", () => {
    const before = { verdict: "Healthy" as const, since: 5, provenAt: 3 };
    expect(judge(before, regions("p?0 p+1 p+2"), policy, NOW)).toEqual(before);
  });

  it("an unproven probe that leaves Unhealthy is Pending until it is proven", () => {
    expect(judge(unproven("Unhealthy"), regions("h+2 p+0 p+0"), policy, NOW).verdict).toBe("Pending");
    expect(judge(unproven("Unhealthy"), regions("h+2 h+2 p+0"), policy, NOW).verdict).toBe("Healthy");
  });
});

describe("the probe's own count of failures", () => {
  it.each<[string, number, number]>([
    ["u+5 u+4 u+3", 1, 5],
    ["u+5 u+4 u+3", 2, 4],
    ["u+5 u+4 u+3", 3, 3],
    ["u+5 u-9 u?9", 2, 0],
    ["p+2 h+ h+", 2, 0],
    ["u+7", 1, 7],
  ])("of %s, quorum %i, is %i", (words, quorum, failures) => {
    expect(consecutiveFailures(regions(words), quorum)).toBe(failures);
  });
});
