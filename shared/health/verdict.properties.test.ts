import fc from "fast-check";
import { describe, it } from "vitest";
import { scene, standing } from "../../test/support/arbitrary.ts";
import { propertyRuns } from "../../test/support/property-runs.ts";
import { quorumSize } from "./quorum.ts";
import { consecutiveFailures, judge, type RegionWord } from "./verdict.ts";

const NOW = 10;

/** Asserts that a property assertProperty in as many runs as these rules are worth. */
const assertProperty = <Values>(property: fc.IProperty<Values>) =>
  fc.assert(property, { numRuns: propertyRuns(2_000) });

const silenced = (regions: readonly RegionWord[], which: readonly boolean[]): RegionWord[] =>
  regions.map((word, index) => (which[index] ? { ...word, freshness: "Silent" } : word));

const isFreshUnhealthy = (word: RegionWord) => word.freshness === "Fresh" && word.counts.says === "Unhealthy";
const which = fc.array(fc.boolean(), { minLength: 5, maxLength: 5 });

describe("properties of the verdict", { timeout: 60_000 }, () => {
  it("consecutiveFailures > failureThreshold exactly when k fresh regions have counts above it", () => {
    assertProperty(
      fc.property(scene, ({ regions, policy }) => {
        const above = regions.filter(
          ({ freshness, counts }) => freshness === "Fresh" && counts.failures > policy.failureThreshold,
        );
        return consecutiveFailures(regions, policy.quorum) > policy.failureThreshold === above.length >= policy.quorum;
      }),
    );
  });

  it("silence never turns a verdict to Unhealthy", () => {
    assertProperty(
      fc.property(standing, scene, which, (before, { regions, policy }, silent) => {
        const now = judge(before, regions, policy, NOW);
        return (
          now.verdict === "Unhealthy" || judge(now, silenced(regions, silent), policy, NOW).verdict !== "Unhealthy"
        );
      }),
    );
  });

  it("silence does not restore a leaf that a fresh region still calls unhealthy while another was silenced", () => {
    assertProperty(
      fc.property(standing, scene, which, (before, { regions, policy }, silent) => {
        const now = judge(before, regions, policy, NOW);
        const freshOnes = regions.map(({ freshness }, index) => freshness === "Fresh" && silent[index] === true);
        const later = silenced(regions, freshOnes);
        fc.pre(now.verdict === "Unhealthy" && later.some(isFreshUnhealthy));
        return judge(now, later, policy, NOW).verdict === "Unhealthy";
      }),
    );
  });

  it("the order of regions does not matter", () => {
    const shuffled = scene.chain(({ regions, policy }) =>
      fc.record({
        regions: fc.constant(regions),
        other: fc.shuffledSubarray(regions, { minLength: regions.length }),
        policy: fc.constant(policy),
      }),
    );
    assertProperty(
      fc.property(standing, shuffled, (before, { regions, other, policy }) => {
        const [one, two] = [judge(before, regions, policy, NOW), judge(before, other, policy, NOW)];
        return one.verdict === two.verdict && one.provenAt === two.provenAt;
      }),
    );
  });

  it("judging twice changes nothing", () => {
    assertProperty(
      fc.property(standing, scene, (before, { regions, policy }) => {
        const once = judge(before, regions, policy, NOW);
        const twice = judge(once, regions, policy, NOW + 1);
        return JSON.stringify(once) === JSON.stringify(twice);
      }),
    );
  });

  it("once all live regions agree that all is well the verdict is Healthy, whatever was before and whoever is dead", () => {
    assertProperty(
      fc.property(fc.option(standing, { nil: undefined }), scene, which, (before, { regions, policy }, dead) => {
        const all = regions.map((word, index): RegionWord => {
          if (dead[index]) return { ...word, freshness: "Silent" };
          return { ...word, freshness: "Fresh", counts: { failures: 0, successes: 2, says: "Healthy" } };
        });
        fc.pre(all.some(({ freshness }) => freshness === "Fresh"));
        return judge(before, all, { ...policy, whenSilent: "Publish" }, NOW).verdict === "Healthy";
      }),
    );
  });

  it("an unproven probe is never Healthy, and a proven one never Pending", () => {
    assertProperty(
      fc.property(standing, scene, (before, { regions, policy }) => {
        const { verdict, provenAt } = judge(before, regions, policy, NOW);
        return provenAt === undefined ? verdict !== "Healthy" : verdict !== "Pending";
      }),
    );
  });

  it("a quorum is met from one side only: a majority that says unhealthy leaves none that says the opposite", () => {
    assertProperty(
      fc.property(fc.integer({ min: 1, max: 11 }), (regions) => 2 * quorumSize("Majority", regions) > regions),
    );
  });
});
