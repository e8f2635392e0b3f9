import fc from "fast-check";
import { expect, it } from "vitest";
import { LEAF } from "../../test/support/explained.ts";
import { propertyRuns } from "../../test/support/property-runs.ts";
import type { Observation } from "../model/observation.ts";
import { type RecordDetail, recordDetail } from "../model/record-detail.ts";
import { REGIONS } from "../model/region.ts";
import { leafReason, type ProbeStatus, type RegionStatus, verdict } from "../model/status.ts";
import { REASON_NAMES } from "../reason.ts";
import { clockIn } from "./clock.ts";
import { explainLeaf } from "./leaf.ts";
import { explainRecord } from "./record.ts";

const LEAVES = [LEAF, "2001:db8::20", "shop.cdn.example"];
const time = fc.oneof(fc.constantFrom(0, Date.UTC(2026, 10, 30), Number.MAX_SAFE_INTEGER), fc.nat());
const some = fc.nat({ max: 9 });
const text = fc.string({ maxLength: 20 });
const optional: { requiredKeys: never[] } = { requiredKeys: [] };

const condition = fc.record({
  type: text,
  status: fc.constantFrom("True" as const, "False" as const, "Unknown" as const),
  reason: text,
  message: text,
});
const advisory = fc.record({ type: fc.constantFrom("Dissent" as const, "Flapping" as const), message: text });

const observation = fc
  .tuple(
    fc.constantFrom(...REASON_NAMES),
    time,
    fc.record({ message: text, httpStatus: fc.nat({ max: 599 }) }, optional),
  )
  .map(([reason, at, more]): Observation => ({ reason, at, phases: { totalMs: 1 }, ...more }));

/** Words, counts and observations that contradict each other too: what is shown must not trip over them. */
const regionStatus = fc
  .tuple(
    fc.record({
      region: fc.constantFrom(...REGIONS),
      freshness: fc.constantFrom("Fresh" as const, "Awaited" as const, "Silent" as const),
      counts: fc.record({
        failures: some,
        successes: some,
        says: fc.constantFrom("Pending" as const, "Healthy" as const, "Unhealthy" as const),
      }),
    }),
    fc.record({ checkedAt: time, colo: text, observation }, optional),
  )
  .map(([one, more]): RegionStatus => ({ ...one, ...more }));

const probeStatus = fc
  .tuple(
    fc.record({
      id: fc.constant("east/shop/api/leaf"),
      cluster: fc.constantFrom("east", "west"),
      record: fc.constantFrom("shop/api", "shop/other"),
      leaf: fc.constantFrom(...LEAVES),
      verdict: fc.constantFrom(...verdict.options),
      since: time,
      consecutiveFailures: some,
      failureThreshold: some,
      successThreshold: fc.integer({ min: 1, max: 9 }),
      quorum: fc.integer({ min: 1, max: 9 }),
      regions: fc.array(regionStatus, { maxLength: 4 }),
      advisories: fc.array(advisory, { maxLength: 2 }),
    }),
    fc.record({ resting: condition }, optional),
  )
  .map(([one, more]): ProbeStatus => ({ ...one, ...more }));

const anyRecord: fc.Arbitrary<RecordDetail> = fc.record({
  rootHost: fc.constant("api.example.com"),
  shares: fc.array(fc.record({ cluster: text, record: text, conditions: fc.array(condition, { maxLength: 1 }) }), {
    maxLength: 2,
  }),
  whenSilent: fc.constantFrom("Publish" as const, "Freeze" as const),
  minPublished: fc.constantFrom(1, "50%"),
  endpoints: fc.constant([]),
  wanted: fc.constant([]),
  leaves: fc.subarray(LEAVES).chain((leaves) =>
    fc.tuple(
      ...leaves.map((leaf) =>
        fc.record({
          leaf: fc.constant(leaf),
          published: fc.boolean(),
          reason: fc.constantFrom(...leafReason.options),
        }),
      ),
    ),
  ),
  probes: fc.array(probeStatus, { maxLength: 4 }),
  advisories: fc.array(advisory, { maxLength: 2 }),
  decidedAt: time,
});

const BAD = /undefined|NaN|null|Infinity|\[object|; ;|: ;|; $|: $|\( *\)/;

it("whatever a record is, no sentence throws, is empty or says nothing where something should stand", () => {
  const clock = clockIn(Date.UTC(2026, 10, 30), "UTC");
  fc.assert(
    fc.property(anyRecord, (record) => {
      recordDetail.parse(record);
      const sentences = record.leaves.map(({ leaf }) => explainLeaf(record, leaf, clock));
      for (const [index, sentence] of sentences.entries()) {
        const { leaf, published } = record.leaves[index]!;
        expect(sentence.startsWith(`${leaf} ${published ? "published" : "withheld"}: `)).toBe(true);
      }
      const explained = explainRecord(record, clock);
      const ours = explained.steps.flatMap(({ title, lines }) =>
        title === "Seen" || title === "Verdict" ? lines : [],
      );
      for (const line of [explained.summary, ...ours]) expect(line).not.toMatch(BAD);
      // A message of the configuration is said as it is: only what is ours is looked at.
      if (record.probes.some(({ resting }) => resting !== undefined)) return;
      for (const sentence of sentences) expect(sentence).not.toMatch(BAD);
    }),
    { numRuns: propertyRuns(2_000) },
  );
});
