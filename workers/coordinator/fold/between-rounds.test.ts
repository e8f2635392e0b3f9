import { describe, expect, it } from "vitest";
import { type Bench, MINUTE, onBench, REGIONS_3, SECOND, share } from "../../../test/support/coordinator/bench.ts";

const A = "203.0.113.10";
const B = "203.0.113.20";
const idOf = (leaf: string) => `east/shop/api/${leaf}`;

const inWeur = (bench: Bench, leaf: string) =>
  bench.coordination.readProbe(idOf(leaf))?.regions.find(({ region }) => region === "weur");

async function untilKnown(bench: Bench): Promise<void> {
  bench.put("east", 1, [share([A, B], { check: { interval: "30s", failureThreshold: 5 } })]);
  await bench.run(5 * MINUTE, REGIONS_3, 30 * SECOND);
}

describe("a report of confirmations", () => {
  it.each([
    ["awake", false],
    ["asleep before each of them", true],
  ])("makes no other probe look checked, the coordinator %s", async (_, isAsleep) => {
    await onBench(async (bench) => {
      await untilKnown(bench);
      const checkedAt = bench.now;
      // Stale is what was checked more than 92 s ago.
      for (let second = 3; second <= 120; second += 3) {
        bench.now += 3 * SECOND;
        if (isAsleep) bench.restart();
        bench.confirm(["weur"], A);
        expect(inWeur(bench, A)).toMatchObject({ freshness: "Fresh", checkedAt: bench.now });
        expect(inWeur(bench, B)?.checkedAt).toBe(checkedAt);
        if (second <= 92) expect(inWeur(bench, B)?.freshness).toBe("Fresh");
      }
      expect(inWeur(bench, B)?.freshness).not.toBe("Fresh");
      bench.round("weur");
      expect(inWeur(bench, B)).toMatchObject({ freshness: "Fresh", checkedAt: bench.now });
    });
  });

  it("makes a coordinator that sleeps write one row for what it saw, and one for the word where that is another", async () => {
    await onBench(async (bench) => {
      await untilKnown(bench);
      bench.probers.outcome = (leaf) => (leaf === A ? "ConnectFailed" : "Ok");
      const rows: number[] = [];
      for (let look = 0; look < 8; look += 1) {
        bench.now += 3 * SECOND;
        for (const region of REGIONS_3) {
          bench.restart();
          const before = bench.rowsWritten();
          bench.confirm([region], A);
          rows.push(bench.rowsWritten() - before);
        }
      }
      expect(bench.verdict(idOf(A))).toBe("Unhealthy");
      // Five failures change nothing but the counts; with the sixth of the second region the verdict turns.
      expect(rows.slice(0, 15)).toEqual(Array(15).fill(2));
      // Counts beyond the threshold are no other word.
      expect(rows.slice(18)).toEqual(Array(6).fill(1));
    });
  });

  it("leaves one short trouble one trouble: nothing flaps that was only looked at more often", async () => {
    await onBench(async (bench) => {
      await untilKnown(bench);
      for (let trouble = 0; trouble < 3; trouble += 1) {
        bench.probers.outcome = (leaf) => (leaf === A ? "ConnectFailed" : "Ok");
        for (let look = 0; look < 5; look += 1) {
          bench.now += 3 * SECOND;
          if (look === 4) bench.probers.outcome = () => "Ok";
          bench.confirm(REGIONS_3, A);
        }
        for (let turn = 0; turn < 9; turn += 1) await bench.run(30 * SECOND, REGIONS_3, 30 * SECOND);
        expect(bench.coordination.readProbe(idOf(A))?.advisories).toEqual([]);
      }
      expect(bench.verdict(idOf(A))).toBe("Healthy");
    });
  });
});
