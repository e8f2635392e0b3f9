import { describe, expect, it } from "vitest";
import type { LeafSummary } from "../../../shared/model/overview.ts";
import { groupLeaves } from "./leaf-groups.ts";

const dissented: LeafSummary = {
  leaf: "198.51.100.20",
  published: true,
  reason: "Healthy",
  verdict: "Healthy",
  since: 1,
  against: { regions: ["apac"], of: 3, saw: ["connect timeout"] },
};
const withheld: LeafSummary = { ...dissented, published: false, reason: "UnhealthyWithheld", verdict: "Unhealthy" };

describe("the story of an address", () => {
  it("does not say since when a region is against one that is healthy: its time is that of the verdict", () => {
    expect(groupLeaves([dissented])).toMatchObject([
      { place: "in", why: "connect timeout", who: "1 of 3 regions (apac)", since: undefined },
    ]);
    expect(groupLeaves([withheld])).toMatchObject([{ place: "out", since: 1 }]);
  });

  it.each([
    [["apac", "enam", "weur"], 3, "all 3 regions"],
    [["weur"], 1, "the only region (weur)"],
    [["enam", "weur"], 3, "2 of 3 regions (enam, weur)"],
  ] as const)("seen from %j of %i is %s", (regions, of, who) => {
    const leaf = { ...withheld, against: { regions: [...regions], of, saw: [] } };
    expect(groupLeaves([leaf])).toMatchObject([{ who }]);
  });
});
