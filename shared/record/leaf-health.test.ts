import { expect, it } from "vitest";
import { health } from "../../test/support/rules.ts";
import { bestOf, type LeafHealth, leastBadFirst } from "./leaf-health.ts";

const unhealthy: LeafHealth = { verdict: "Unhealthy", unhealthyRegions: 3, proven: true, latestSuccessAt: 50 };
const pending: LeafHealth = { verdict: "Pending", unhealthyRegions: 1, proven: false };
const unknown: LeafHealth = { verdict: "Unknown", unhealthyRegions: 2, proven: true, latestSuccessAt: 70 };
const healthy: LeafHealth = { verdict: "Healthy", unhealthyRegions: 1, proven: true, latestSuccessAt: 60 };

it.each<[string, LeafHealth[], LeafHealth]>([
  ["one probe", [pending], pending],
  ["Healthy before all", [unhealthy, pending, unknown, healthy], { ...healthy, latestSuccessAt: 70 }],
  ["Unknown before Pending", [pending, unknown], unknown],
  [
    "Pending before Unhealthy; proven by the other",
    [unhealthy, pending],
    { ...pending, proven: true, latestSuccessAt: 50 },
  ],
  [
    "the least bad of equals",
    [unhealthy, { ...unhealthy, unhealthyRegions: 2 }],
    { ...unhealthy, unhealthyRegions: 2 },
  ],
])("a leaf that several probes ask is as good as its best verdict, in any order: %s", (_, probes, best) => {
  expect(bestOf(probes)).toEqual(best);
  expect(bestOf(probes.toReversed())).toEqual(best);
});

it("a leaf without probes has no health", () => {
  expect(() => bestOf([])).toThrow("without probes");
});

it("the least bad first: fewest unhealthy regions, then the latest success, then the address", () => {
  const leaves = health(
    { a: "Unhealthy", b: "Unhealthy", c: "Unhealthy", d: "Unhealthy", e: "Unhealthy" },
    { a: { latestSuccessAt: 1 }, c: { latestSuccessAt: 9 }, d: { unhealthyRegions: 2 }, e: { latestSuccessAt: 1 } },
  );
  expect(leastBadFirst(["e", "d", "c", "b", "a"], leaves)).toEqual(["d", "c", "a", "e", "b"]);
});
