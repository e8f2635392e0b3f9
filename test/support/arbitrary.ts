import fc from "fast-check";
import type { Freshness } from "../../shared/health/freshness.ts";
import type { Policy, RegionWord, Standing } from "../../shared/health/verdict.ts";
import type { Endpoint } from "../../shared/model/endpoint.ts";
import type { Counts } from "../../shared/model/probe.ts";
import type { MinPublished } from "../../shared/model/record.ts";
import { REGIONS } from "../../shared/model/region.ts";
import type { LeafHealth } from "../../shared/record/leaf-health.ts";
import { leavesBelow } from "../../shared/record/names.ts";
import { readTree } from "../../shared/record/tree.ts";
import { geo, plain, weighted } from "./rules.ts";

/** Every generated policy has these, so that counts of 0 to 4 lie on both sides. */
const THRESHOLDS = { failureThreshold: 2, successThreshold: 2 };

const counts: fc.Arbitrary<Counts> = fc.oneof(
  fc.record({
    failures: fc.integer({ min: 3, max: 5 }),
    successes: fc.constant(0),
    says: fc.constant("Unhealthy" as const),
  }),
  fc.record({
    failures: fc.constant(0),
    successes: fc.integer({ min: 2, max: 4 }),
    says: fc.constant("Healthy" as const),
  }),
  fc.record({
    failures: fc.integer({ min: 0, max: 2 }),
    successes: fc.constant(0),
    says: fc.constantFrom("Healthy", "Unhealthy", "Pending"),
  }),
  fc.record({
    failures: fc.constant(0),
    successes: fc.constant(1),
    says: fc.constantFrom("Healthy", "Unhealthy", "Pending"),
  }),
);

const word = fc.record({ freshness: fc.constantFrom<Freshness>("Fresh", "Awaited", "Silent"), counts });

/** One to five regions in any state, and a policy for as many. */
export const scene: fc.Arbitrary<{ regions: RegionWord[]; policy: Policy }> = fc
  .array(word, { minLength: 1, maxLength: 5 })
  .chain((words) =>
    fc.record({
      regions: fc.constant(words.map((each, index) => ({ region: REGIONS[index] ?? "wnam", ...each }))),
      policy: fc.record({
        quorum: fc.integer({ min: 1, max: words.length }),
        whenSilent: fc.constantFrom("Publish" as const, "Freeze" as const),
        ...Object.fromEntries(Object.entries(THRESHOLDS).map(([name, value]) => [name, fc.constant(value)])),
      }) as fc.Arbitrary<Policy>,
    }),
  );

/** Any standing that a probe can have: one that was never proven is not Healthy. */
export const standing: fc.Arbitrary<Standing> = fc.oneof(
  fc.record({
    verdict: fc.constantFrom("Healthy" as const, "Unhealthy" as const, "Unknown" as const),
    since: fc.constant(5),
    provenAt: fc.constant(1),
  }),
  fc.record({
    verdict: fc.constantFrom("Pending" as const, "Unhealthy" as const, "Unknown" as const),
    since: fc.constant(5),
  }),
);

const IPV4 = [1, 2, 3, 4, 5].map((n) => `203.0.113.${n}`);
const IPV6 = [1, 2, 3].map((n) => `2001:db8::${n}`);
const OUTSIDE = ["one.cdn.example", "two.cdn.example"];
const NAMES = ["a", "b", "c", "d", "e"].map((label) => `${label}.x.test`);

/** The endpoints of one name, which may point to the names after it: so there are shared children, and no cycles. */
function endpointsOf(name: string, later: readonly string[]): fc.Arbitrary<Endpoint[]> {
  const v4 = fc.array(fc.constantFrom(...IPV4), { minLength: 1, maxLength: 4 });
  const v6 = fc.array(fc.constantFrom(...IPV6), { minLength: 1, maxLength: 2 });
  const target = fc.constantFrom(...later, ...OUTSIDE);
  const targets = fc.uniqueArray(target, { minLength: 1, maxLength: 3 });
  return fc.oneof(
    v4.map((addresses) => [plain(name, "A", ...addresses)]),
    fc.tuple(v4, v6).map(([four, six]) => [plain(name, "A", ...four), plain(name, "AAAA", ...six)]),
    target.map((one) => [plain(name, "CNAME", one)]),
    fc
      .tuple(targets, fc.constantFrom(0, 100))
      .map(([all, first]) => all.map((one, index) => weighted(index === 0 ? first : 100, name, "CNAME", one))),
    fc
      .tuple(targets, fc.boolean())
      .map(([all, hasDefault]) =>
        all.map((one, index) => geo(hasDefault && index === 0 ? "*" : `G${index}`, name, "CNAME", one)),
      ),
    fc
      .tuple(v4, v4, fc.boolean())
      .map(([one, two, hasDefault]) => [geo(hasDefault ? "*" : "G0", name, "A", ...one), geo("G1", name, "A", ...two)]),
  );
}

/** A record that `readTree` takes: one to five names, of which some are roots of their own. */
export const record: fc.Arbitrary<Endpoint[]> = fc.integer({ min: 1, max: NAMES.length }).chain((size) => {
  const names = NAMES.slice(0, size);
  return fc.tuple(...names.map((name, index) => endpointsOf(name, names.slice(index + 1)))).map((sets) => sets.flat());
});

const leafHealth: fc.Arbitrary<LeafHealth> = fc.oneof(
  fc.constant<LeafHealth>({ verdict: "Healthy", unhealthyRegions: 0, proven: true }),
  fc.record({ verdict: fc.constant("Unknown" as const), unhealthyRegions: fc.nat(2), proven: fc.boolean() }),
  fc.record({ verdict: fc.constant("Pending" as const), unhealthyRegions: fc.nat(2), proven: fc.boolean() }),
  fc.record({
    verdict: fc.constant("Unhealthy" as const),
    unhealthyRegions: fc.integer({ min: 1, max: 3 }),
    latestSuccessAt: fc.nat(3),
    proven: fc.boolean(),
  }),
);

/** Health of all leaves that a record can have; about one in ten has no health check. */
export const health: fc.Arbitrary<Map<string, LeafHealth>> = fc
  .tuple(
    ...[...IPV4, ...IPV6, ...OUTSIDE].map((leaf) => fc.tuple(fc.constant(leaf), fc.option(leafHealth, { freq: 9 }))),
  )
  .map((entries) => new Map(entries.flatMap(([leaf, one]) => (one === null ? [] : [[leaf, one] as const]))));

export const minPublished: fc.Arbitrary<MinPublished> = fc.constantFrom(1, 2, 3, "1%", "50%", "100%");

/** The leaves below each root of a record. */
export function leavesByRoot(endpoints: readonly Endpoint[]): Map<string, string[]> {
  const reading = readTree(endpoints);
  if (!reading.ok) throw new Error(JSON.stringify(reading.errors));
  const { roots, byName } = reading.tree;
  return new Map(roots.map((root) => [root, leavesBelow(root, byName)]));
}
