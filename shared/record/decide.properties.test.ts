import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { health, leavesByRoot, minPublished, record } from "../../test/support/arbitrary.ts";
import { propertyRuns } from "../../test/support/property-runs.ts";
import type { Endpoint } from "../model/endpoint.ts";
import { type Decision, type DecisionInput, decide } from "./decide.ts";
import { endpointKey, inOrder } from "./key.ts";
import { minPublishedOf } from "./min-published.ts";
import { groupByName, leavesBelow } from "./names.ts";
import { readTree } from "./tree.ts";

const assertProperty = <Values>(property: fc.IProperty<Values>) => fc.assert(property, { numRuns: propertyRuns(800) });

/** What is in DNS: nothing, the whole record, what an earlier health left, or what another record left. */
const history = record.chain((endpoints) => {
  const earlier = (of: readonly Endpoint[]) =>
    health.map((leaves) => decide({ endpoints: of, minPublished: 1, leaves, wasPublished: of }).endpoints);
  const wasPublished = fc.oneof(
    fc.constant<Endpoint[]>([]),
    fc.constant(endpoints),
    earlier(endpoints),
    record.chain(earlier),
  );
  return fc.record({ endpoints: fc.constant(endpoints), wasPublished });
});

const input: fc.Arbitrary<DecisionInput> = fc
  .record({ history, leaves: health, minPublished })
  .map(({ history: { endpoints, wasPublished }, ...rest }) => ({ endpoints, wasPublished, ...rest }));

const below = (endpoints: readonly Endpoint[], root: string) => leavesBelow(root, groupByName(endpoints));

function holds(property: (input: DecisionInput, decision: Decision) => boolean | undefined): void {
  assertProperty(fc.property(input, (given) => property(given, decide(given)) !== false));
}

describe("properties of the decision", { timeout: 60_000 }, () => {
  it("it is never empty when something was published and the record has leaves, at each root", () => {
    holds((given, { endpoints }) =>
      leavesByRoot(given.endpoints)
        .keys()
        .every((root) => below(given.wasPublished, root).length === 0 || below(endpoints, root).length > 0),
    );
  });

  it("a leaf that is Healthy or Unknown is never withheld, at any root", () => {
    holds((given, { endpoints }) =>
      leavesByRoot(given.endpoints)
        .entries()
        .every(([root, leaves]) => {
          const published = new Set(below(endpoints, root));
          const good = leaves.filter((leaf) => ["Healthy", "Unknown"].includes(given.leaves.get(leaf)?.verdict ?? ""));
          return good.every((leaf) => published.has(leaf));
        }),
    );
  });

  it("applying it twice changes nothing", () => {
    assertProperty(
      fc.property(input, (given) => {
        const once = decide(given);
        expect(decide({ ...given, wasPublished: once.endpoints })).toEqual(once);
      }),
    );
  });

  it("no endpoint points at nothing, and what is published is a record again with no leaves but the record's", () => {
    holds((given, { endpoints, published }) => {
      if (endpoints.length === 0) return published.length === 0;
      const reading = readTree(endpoints);
      const names = new Set(given.endpoints.map(({ dnsName }) => dnsName));
      return (
        reading.ok &&
        endpoints.every(({ targets }) => targets.length > 0) &&
        reading.tree.leaves.every((leaf) => !names.has(leaf)) &&
        JSON.stringify(reading.tree.leaves) === JSON.stringify(published)
      );
    });
  });

  it("no kept leaf loses its path: each published leaf is reached from a root of the record", () => {
    holds((given, { endpoints, published }) => {
      const reached = new Set([...leavesByRoot(given.endpoints).keys()].flatMap((root) => below(endpoints, root)));
      return published.every((leaf) => reached.has(leaf));
    });
  });

  it("only targets change, and only geo sets get targets that they did not have", () => {
    holds((given, { endpoints }) => {
      const before = new Map(given.endpoints.map((endpoint) => [endpointKey(endpoint), endpoint]));
      return endpoints.every((endpoint) => {
        const original = before.get(endpointKey(endpoint));
        if (original === undefined) return false;
        const isGeo = original.providerSpecific?.some(({ name }) => name === "geo-code") === true;
        const grew = endpoint.targets.some((target) => !original.targets.includes(target));
        const same = JSON.stringify({ ...endpoint, targets: [] }) === JSON.stringify({ ...original, targets: [] });
        return same && (isGeo || !grew);
      });
    });
  });

  it("output is sorted and unique, and the input is never changed", () => {
    assertProperty(
      fc.property(input, (given) => {
        const before = structuredClone(given);
        const { endpoints } = decide(given);
        expect(given).toEqual(before);
        expect(endpoints).toEqual(inOrder(endpoints));
      }),
    );
  });

  it("it does not depend on the order of endpoints, targets or leaves", () => {
    const shuffled = input.chain((given) =>
      fc.record({
        given: fc.constant(given),
        endpoints: fc.shuffledSubarray([...given.endpoints], { minLength: given.endpoints.length }),
        wasPublished: fc.shuffledSubarray([...given.wasPublished], { minLength: given.wasPublished.length }),
        leaves: fc.shuffledSubarray([...given.leaves], { minLength: given.leaves.size }),
      }),
    );
    const turned = (endpoints: readonly Endpoint[]) =>
      endpoints.map((endpoint) => ({ ...endpoint, targets: endpoint.targets.toReversed() }));
    assertProperty(
      fc.property(shuffled, ({ given, endpoints, wasPublished, leaves }) => {
        const other = { ...given, endpoints: turned(endpoints), wasPublished: turned(wasPublished) };
        expect(decide({ ...other, leaves: new Map(leaves) })).toEqual(decide(given));
      }),
    );
  });

  it("once every leaf is Healthy the full set is published, whatever happened before", () => {
    assertProperty(
      fc.property(history, health, minPublished, ({ endpoints, wasPublished }, given, most) => {
        const leaves = new Map([...given].map(([leaf, one]) => [leaf, { ...one, verdict: "Healthy" as const }]));
        const decision = decide({ endpoints, wasPublished, leaves, minPublished: most });
        expect(decision.endpoints).toEqual(inOrder(endpoints));
      }),
    );
  });

  it("health never takes a root below minPublished while that many were published and still exist", () => {
    holds((given, { endpoints }) =>
      leavesByRoot(given.endpoints)
        .entries()
        .every(([root, leaves]) => {
          const probed = leaves.filter((leaf) => given.leaves.has(leaf));
          const count = (of: readonly Endpoint[]) => below(of, root).filter((leaf) => probed.includes(leaf)).length;
          const floor = minPublishedOf(given.minPublished, probed.length);
          return count(endpoints) >= Math.min(floor, count(given.wasPublished));
        }),
    );
  });

  it("an unhealthy leaf that was never in order is published only where nothing better was left", () => {
    holds((given, { endpoints }) =>
      leavesByRoot(given.endpoints)
        .entries()
        .every(([root, leaves]) => {
          const had = below(given.wasPublished, root);
          const verdicts = leaves.map((leaf) => given.leaves.get(leaf)?.verdict);
          const isDesperate = had.length > 0 && verdicts.every((one) => one === "Unhealthy" || one === "Pending");
          const shared = leavesByRoot(given.endpoints).size > 1;
          return below(endpoints, root).every((leaf) => {
            const one = given.leaves.get(leaf);
            return one?.verdict !== "Unhealthy" || one.proven || had.includes(leaf) || isDesperate || shared;
          });
        }),
    );
  });

  it("a leaf leaves DNS for no other verdict than Unhealthy", () => {
    holds((given, { endpoints }) =>
      leavesByRoot(given.endpoints)
        .entries()
        .every(([root, leaves]) => {
          const published = new Set(below(endpoints, root));
          const gone = below(given.wasPublished, root).filter((leaf) => leaves.includes(leaf) && !published.has(leaf));
          return gone.every((leaf) => given.leaves.get(leaf)?.verdict === "Unhealthy");
        }),
    );
  });
});
