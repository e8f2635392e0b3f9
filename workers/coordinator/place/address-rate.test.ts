import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { propertyRuns } from "../../../test/support/property-runs.ts";
import { random } from "../../../test/support/random.ts";
import { allocate, busiestRate, type ProbeRate, peakRate, regularRate, slowed } from "./address-rate.ts";

const asking = (id: string, regions: number, intervalS: number, confirmS = intervalS / 10): ProbeRate => {
  return { id, regions, intervalMs: intervalS * 1000, confirmIntervalMs: confirmS * 1000 };
};
const many = (count: number, ...rest: [regions: number, intervalS: number, confirmS?: number]) =>
  Array.from({ length: count }, (_, n) => asking(`${n}`, ...rest));

describe("what one address is asked", () => {
  it.each([
    ["nine regions at 30 s", asking("a", 9, 30), 0.3],
    ["three regions each second", asking("a", 3, 1), 3],
  ])("regularly: %s", (_, one, perS) => {
    expect(regularRate(one)).toBeCloseTo(perS);
  });

  it.each([
    ["as wished, where there is room", many(10, 3, 30), 1, 3_000],
    ["as wished, where all of them at once stay within the limit", many(33, 3, 30), 1, 3_000],
    ["a quarter as often, where that is rare enough for no second to be too busy", many(50, 3, 30), 4, 12_000],
    ["half as often, where their average would be above it", many(31, 3, 10), 2, 2_000],
    ["not at all, where turns alone come near the limit", many(400, 3, 30), 16, undefined],
    ["not at all, where turns come as often", many(3, 3, 1, 1), 1, undefined],
  ])("confirms %s", (_, askings, factor, confirmMs) => {
    const allotment = allocate(askings, 100);
    expect(allotment).toMatchObject({ refused: new Map(), factor });
    expect(slowed(askings[0] as ProbeRate, factor)).toBe(confirmMs);
  });

  it("is looked at by other regions only where all of them at once stay within the limit", () => {
    expect(allocate(many(33, 3, 30), 100).mayLook).toBe(true);
    expect(allocate(many(34, 3, 30), 100).mayLook).toBe(false);
  });

  /** Shards at any phases, in three regions, each of which asks for all of its probes in one second, once a confirmation. */
  it("stays within the limit in nearly every second, however the shards' times fall together", () => {
    const next = random(1);
    const count = 50;
    const { factor } = allocate(many(count, 3, 30), 100);
    const periodS = 3 * factor;
    let above = 0;
    for (let world = 0; world < 300; world += 1) {
      const seconds = new Map<number, number>();
      for (const size of [30, 20]) {
        for (let region = 0; region < 3; region += 1) {
          const second = Math.floor(next() * periodS);
          seconds.set(second, (seconds.get(second) ?? 0) + size);
        }
      }
      above += [...seconds.values()].filter((asked) => asked > 100).length;
    }
    expect(above / (300 * periodS)).toBeLessThan(0.003);
  });

  it("is refused from where the turns exceed the limit; a later one that is seldom asked still fits", () => {
    const askings = [asking("a", 9, 1), asking("b", 1, 1), asking("c", 1, 1), asking("d", 1, 4)];
    expect(allocate(askings, 10).refused).toEqual(
      new Map([
        ["c", 10],
        ["d", 10],
      ]),
    );
    expect(allocate(askings, 10.5).refused).toEqual(new Map([["c", 10]]));
  });

  it("fits to the last fraction", () => {
    expect(allocate(many(1_000, 3, 30), 100).refused.size).toBe(0);
    expect([...allocate(many(1_001, 3, 30), 100).refused]).toEqual([["1000", 100]]);
  });
});

const anyAsking = fc.record({
  regions: fc.integer({ min: 1, max: 11 }),
  intervalMs: fc.integer({ min: 1, max: 120 }).map((seconds) => seconds * 1000),
  part: fc.integer({ min: 1, max: 30 }),
});
const someAskings = fc.array(anyAsking, { maxLength: 60 }).map((list) =>
  list.map(({ regions, intervalMs, part }, n): ProbeRate => {
    return { id: `${n}`, regions, intervalMs, confirmIntervalMs: Math.max(1_000, Math.round(intervalMs / part)) };
  }),
);

describe("whatever is asked of an address", () => {
  it("turns and bursts stay within the limit, and no step more is taken than is needed", () => {
    fc.assert(
      fc.property(someAskings, fc.integer({ min: 1, max: 50 }), (askings, limit) => {
        const { refused, factor } = allocate(askings, limit);
        const taken = askings.filter(({ id }) => !refused.has(id));
        const sum = (rate: (one: ProbeRate) => number) => taken.reduce((total, one) => total + rate(one), 0);
        expect(sum(regularRate)).toBeLessThanOrEqual(limit + 1e-6);
        expect(sum((one) => busiestRate(one, factor))).toBeLessThanOrEqual(limit + 1e-6);
        if (factor > 1) expect(peakRate(taken, factor / 2, limit)).toBeGreaterThan(limit);
      }),
      { numRuns: propertyRuns(300) },
    );
  });

  it("one more at the end takes no other's place", () => {
    fc.assert(
      fc.property(someAskings, anyAsking, fc.integer({ min: 1, max: 50 }), (askings, last, limit) => {
        const one = { id: "last", ...last, confirmIntervalMs: 1_000 };
        const refused = [...allocate([...askings, one], limit).refused].filter(([id]) => id !== "last");
        expect(refused).toEqual([...allocate(askings, limit).refused]);
      }),
      { numRuns: propertyRuns(300) },
    );
  });
});
