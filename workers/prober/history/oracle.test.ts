import { runInDurableObject } from "cloudflare:test";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Outcome } from "../../../shared/reason.ts";
import { MINUTE, onShard, SECOND, ShardBench, total, wipe } from "../../../test/support/history.ts";
import { freshProber, probeOf } from "../../../test/support/prober.ts";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { floorTo } from "./block.ts";

const IDS = ["a", "b", "c"];

const outcome = fc.constantFrom<Outcome>("ok", "ok", "failed", "indeterminate");

/** Some rounds in a row that end alike, with memory lost before those that `lost` says, over and over. */
const stretch = fc.record({
  rounds: fc.integer({ min: 1, max: 45 }),
  outcomes: fc.tuple(outcome, outcome, outcome),
  lost: fc.oneof(fc.constant([true]), fc.constant([false]), fc.array(fc.boolean(), { minLength: 1, maxLength: 5 })),
  /** Which of the probes the shard has; the rest is removed, or added again. */
  members: fc.oneof(
    { weight: 3, arbitrary: fc.constant(IDS) },
    { weight: 1, arbitrary: fc.subarray(IDS, { minLength: 1 }) },
  ),
  carried: fc.boolean(),
  /** What is checked alone after rounds, over and over: how long after, how often, whether memory is lost before, and how it ends. */
  alone: fc.oneof(
    { weight: 2, arbitrary: fc.constant([undefined]) },
    {
      weight: 1,
      arbitrary: fc.array(
        fc.option(
          fc.record({
            id: fc.constantFrom(...IDS),
            afterMs: fc.integer({ min: 1, max: 70_000 }),
            how: outcome,
            isLost: fc.boolean(),
          }),
          { nil: undefined },
        ),
        { minLength: 1, maxLength: 4 },
      ),
    },
  ),
});

type Stretch = typeof stretch extends fc.Arbitrary<infer Value> ? Value : never;

const world = fc.record({
  intervalMs: fc.constantFrom(1, 7, 10, 30, 30, 60, 299, 300, 301, 1_800).map((seconds) => seconds * SECOND),
  stretches: fc.array(stretch, { minLength: 1, maxLength: 8 }),
});

type Checks = Map<string, Record<Outcome, number>>;

/** What was really checked: by probe and minute. */
class Oracle {
  readonly checks: Checks = new Map();

  note(probe: string, nowMs: number, how: Outcome): void {
    const key = `${probe} ${floorTo(nowMs, MINUTE)}`;
    const point = this.checks.get(key) ?? { ok: 0, failed: 0, indeterminate: 0 };
    point[how] += 1;
    this.checks.set(key, point);
  }
}

function checkAlone(bench: ShardBench, one: Stretch["alone"][number], oracle: Oracle): void {
  const isMember = bench.probes.some(({ id }) => id === one?.id);
  if (one === undefined || !isMember || !bench.isBetween(one.afterMs)) return;
  if (one.isLost) bench.evict();
  bench.confirm({ [one.id]: one.how }, one.afterMs);
  oracle.note(one.id, bench.now, one.how);
}

/** What history says, beside what was; `wanted` has only what lies in its span. */
function play(bench: ShardBench, stretches: readonly Stretch[]): { said: Checks; wanted: Checks } {
  const oracle = new Oracle();
  for (const { rounds, outcomes, lost, members, carried, alone } of stretches) {
    if (lost[0]) bench.evict();
    if (members.join() !== bench.probes.map(({ id }) => id).join()) {
      const counts = carried ? { carried: { failures: 0, successes: 2, says: "Healthy" as const } } : {};
      bench.assign(members.map((id) => bench.probes.find((probe) => probe.id === id) ?? probeOf(id, 80, counts)));
    }
    const byId = Object.fromEntries(members.map((id) => [id, outcomes[IDS.indexOf(id)] ?? "ok"]));
    for (let n = 0; n < rounds; n += 1) {
      if (lost[n % lost.length]) bench.evict();
      bench.round(byId);
      for (const id of members) oracle.note(id, bench.now, byId[id] ?? "ok");
      checkAlone(bench, alone[n % alone.length], oracle);
    }
  }
  const said: Checks = new Map();
  for (const id of IDS) {
    for (const { at, ok, failed, indeterminate } of bench.points("6h", id))
      said.set(`${id} ${at}`, { ok, failed, indeterminate });
  }
  const fromMs = floorTo(bench.now - 6 * 60 * MINUTE, MINUTE);
  const wanted = new Map([...oracle.checks].filter(([key]) => Number(key.split(" ")[1]) >= fromMs));
  return { said, wanted };
}

describe("history, beside one that never loses its memory", () => {
  it("counts the same in every minute, whatever the outcomes, confirmations, evictions and assignments", async () => {
    await runInDurableObject(freshProber(), (_, { storage }) => {
      fc.assert(
        fc.property(world, ({ intervalMs, stretches }) => {
          wipe(storage);
          const { said, wanted } = play(new ShardBench(storage, intervalMs, IDS), stretches);
          expect(said).toEqual(wanted);
        }),
        { numRuns: propertyRuns(45) },
      );
    });
  }, 120_000);

  it("makes up for a pause of the platform no more than 5 minutes of checks, and counts none of a late alarm", async () => {
    await onShard({}, (bench) => {
      for (let n = 0; n < 20; n += 1) {
        bench.evict();
        bench.round({ a: "ok" });
      }
      bench.evict();
      bench.round({ a: "ok" }, 40 * MINUTE);
      expect(total(bench.points("6h", "a"))).toMatchObject({ ok: 21 });
      bench.evict();
      bench.now += 40 * MINUTE;
      bench.round({ a: "ok" });
      expect(total(bench.points("6h", "a")).ok).toBeGreaterThanOrEqual(22);
      expect(total(bench.points("6h", "a")).ok).toBeLessThanOrEqual(22 + 10);
    });
  });

  it("says of a check that got no slot what it said before, where memory was lost, and nothing where it was not", async () => {
    for (const isLost of [true, false]) {
      await onShard({ ids: ["a", "b"] }, (bench) => {
        bench.round({ a: "ok", b: "failed" });
        for (let n = 0; n < 4; n += 1) {
          if (isLost) bench.evict();
          bench.round({ a: "ok" });
        }
        if (isLost) bench.evict();
        bench.round({ a: "ok", b: "failed" });
        expect(total(bench.points("6h", "a")).ok).toBe(6);
        expect(total(bench.points("6h", "b")).failed).toBe(isLost ? 6 : 2);
      });
    }
  });

  it("does not make up checks that memory knew were not made", async () => {
    await onShard({ ids: ["a", "b"] }, (bench) => {
      bench.round({ a: "ok", b: "failed" });
      for (let n = 0; n < 3; n += 1) bench.round({ a: "ok" });
      // This round is written, with b as it was: whether its result was still to come nobody knows after that.
      bench.round({ a: "failed" });
      bench.evict();
      bench.round({ a: "failed", b: "failed" });
      expect(total(bench.points("6h", "b")).failed).toBe(3);
    });
  });
});
