import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { health, minPublished, record } from "../../test/support/arbitrary.ts";
import { propertyRuns } from "../../test/support/property-runs.ts";
import { plain } from "../../test/support/rules.ts";
import { decide } from "./decide.ts";
import { endpointKey, inOrder } from "./key.ts";
import { type MergeInput, mergeShares } from "./merge.ts";
import { readTree } from "./tree.ts";

/** Asserts that a property assertProperty in as many runs as these rules are worth. */
const assertProperty = <Values>(property: fc.IProperty<Values>) => fc.assert(property, { numRuns: propertyRuns(400) });

const whenSilent = fc.constantFrom("Publish" as const, "Freeze" as const);

/** One to four shares of any shape, which may well be at odds with each other. */
const shares = fc.array(fc.record({ endpoints: record, minPublished, whenSilent }), { minLength: 1, maxLength: 4 });

/** Shares that can be joined: each brings addresses to the same names. */
const addresses = (family: string[]) => fc.uniqueArray(fc.constantFrom(...family), { minLength: 1 });
const joinable = fc.array(
  fc.record({
    endpoints: fc
      .tuple(addresses(["203.0.113.1", "203.0.113.2", "203.0.113.3"]), addresses(["2001:db8::1", "2001:db8::2"]))
      .map(([four, six]) => [plain("x.test", "A", ...four), plain("x.test", "AAAA", ...six)]),
    minPublished,
    whenSilent,
  }),
  { minLength: 1, maxLength: 4 },
);

describe("properties of merged shares", () => {
  it("what is merged is a record, whatever the shares", () => {
    assertProperty(fc.property(shares, (given) => readTree(mergeShares(given).endpoints).ok));
  });

  it("the oldest share assertProperty whole, and has no conflict", () => {
    assertProperty(
      fc.property(shares, (given) => {
        const { endpoints, conflicts } = mergeShares(given);
        const merged = new Map(endpoints.map((endpoint) => [endpointKey(endpoint), endpoint.targets]));
        const assertProperty = given[0]?.endpoints.every((endpoint) =>
          endpoint.targets.every((target) => merged.get(endpointKey(endpoint))?.includes(target)),
        );
        return assertProperty === true && conflicts.every(({ share }) => share > 0);
      }),
    );
  });

  it("what a share asked for is there, or it has a conflict", () => {
    assertProperty(
      fc.property(shares, (given) => {
        const { endpoints, conflicts } = mergeShares(given);
        const merged = new Map(endpoints.map((endpoint) => [endpointKey(endpoint), endpoint.targets]));
        return given.every(({ endpoints: asked }, index) => {
          const isWhole = asked.every((endpoint) =>
            endpoint.targets.every((target) => merged.get(endpointKey(endpoint))?.includes(target)),
          );
          return isWhole || conflicts.some(({ share }) => share === index);
        });
      }),
    );
  });

  it("a share merged with itself is itself", () => {
    assertProperty(
      fc.property(record, (endpoints) => {
        const share: MergeInput = { endpoints, minPublished: 1, whenSilent: "Publish" };
        expect(mergeShares([share, share])).toMatchObject({ endpoints: inOrder(endpoints), conflicts: [] });
      }),
    );
  });

  it("no share is changed", () => {
    assertProperty(
      fc.property(shares, (given) => {
        const before = structuredClone(given);
        mergeShares(given);
        expect(given).toEqual(before);
      }),
    );
  });

  it("the decision does not depend on the order of clusters", () => {
    const shuffled = joinable.chain((given) =>
      fc.tuple(fc.constant(given), fc.shuffledSubarray(given, { minLength: given.length })),
    );
    assertProperty(
      fc.property(shuffled, health, ([given, other], leaves) => {
        const decided = [given, other].map((each) => {
          const merged = mergeShares(each);
          return decide({ ...merged, leaves, wasPublished: merged.endpoints });
        });
        expect(decided[0]).toEqual(decided[1]);
      }),
    );
  });
});
