import { describe, expect, it } from "vitest";
import type { Report } from "../../../shared/model/messages/report.ts";
import type { Region } from "../../../shared/model/region.ts";
import { NO_USAGE, type UsageSince } from "../../../shared/model/usage.ts";
import { type Bench, MINUTE, onBench, REGIONS_3, SECOND, share } from "../../../test/support/coordinator/bench.ts";

const A = "203.0.113.10";
const EACH_30_S = { check: { interval: "30s" } } as const;
const ROUND: UsageSince = { requests: 1, rowsRead: 4, rowsWritten: 1, awakeMs: 700 };

/** Reports of a round in some regions, each with what it used. */
function reportsOf(bench: Bench, regions: readonly Region[], used: UsageSince): Report[] {
  return bench.probers.round(regions).map((report) => ({ ...report, usage: used }));
}

const days = (bench: Bench) => bench.coordination.usage()?.days;

describe("what is used", () => {
  it("is added by region, and by day, once for each report", async () => {
    await onBench(async (bench) => {
      bench.put("east", 1, [share([A])]);
      await bench.settle();
      for (let round = 1; round <= 3; round += 1) {
        bench.now += 10 * SECOND;
        for (const report of reportsOf(bench, ["weur", "enam"], ROUND)) {
          bench.send(report);
          bench.send(report);
        }
      }
      const three = { requests: 3, rowsRead: 12, rowsWritten: 3, awakeMs: 2_100 };
      expect(days(bench)?.today.probers).toEqual({ enam: three, weur: three });
      expect(days(bench)?.yesterday).toBeUndefined();
    });
  });

  it("that one who slept has forgotten is put at the way of the report, there and back", async () => {
    await onBench(async (bench) => {
      bench.put("east", 1, [share([A])]);
      await bench.settle();
      bench.now += 10 * SECOND;
      const number = { epoch: bench.now, n: bench.now };
      const reports = reportsOf(bench, ["weur"], { ...ROUND, isFirst: true }).map((report) => ({ ...report, number }));
      bench.now += 80;
      for (const report of reports) bench.send(report);
      expect(days(bench)?.today.probers.weur?.awakeMs).toBe(700 + 160);
    });
  });

  it("survives a sleep after each report, in the rows that are written anyway", async () => {
    await onBench(async (bench) => {
      bench.put("east", 1, [share([A], EACH_30_S)]);
      await bench.run(MINUTE, REGIONS_3);
      const before = bench.rowsWritten();
      for (let round = 1; round <= 6; round += 1) {
        bench.now += 30 * SECOND;
        for (const report of reportsOf(bench, REGIONS_3, ROUND)) {
          bench.restart();
          bench.send(report);
        }
      }
      expect(bench.rowsWritten() - before).toBe(6 * 3);
      bench.restart();
      for (const region of REGIONS_3) expect(days(bench)?.today.probers[region]).toMatchObject({ requests: 6 });
    });
  });

  it("is not taken for more where a prober's clock is fast, or was", async () => {
    await onBench(async (bench) => {
      bench.put("east", 1, [share([A], EACH_30_S)]);
      await bench.run(MINUTE, REGIONS_3);
      for (const aheadMs of [60 * MINUTE, 60 * MINUTE, 60 * MINUTE, 0, 0, 0]) {
        bench.now += 30 * SECOND;
        for (const report of reportsOf(bench, REGIONS_3, ROUND)) {
          bench.restart();
          bench.send({ ...report, roundAt: report.roundAt + aheadMs });
        }
      }
      for (const region of REGIONS_3) expect(days(bench)?.today.probers[region]).toMatchObject({ requests: 6 });
    });
  });

  it("has the coordinator's own, with the row that tells it", async () => {
    await onBench(async (bench) => {
      bench.put("east", 1, [share([A], EACH_30_S)]);
      await bench.run(MINUTE, REGIONS_3);
      const before = days(bench)?.today.coordinators ?? NO_USAGE;
      // A coordinator that sleeps after each report counts its call, and forgets the row that it writes then.
      bench.onUsed = () => ({ ...NO_USAGE, requests: 1, rowsRead: 9 });
      bench.now += 30 * SECOND;
      for (const report of reportsOf(bench, REGIONS_3, ROUND)) {
        bench.restart();
        bench.send(report);
      }
      bench.onUsed = () => NO_USAGE;
      bench.restart();
      const { requests, rowsRead, rowsWritten } = days(bench)?.today.coordinators ?? NO_USAGE;
      expect(requests - before.requests).toBe(3);
      expect(rowsRead - before.rowsRead).toBe(27);
      expect(rowsWritten - before.rowsWritten).toBeGreaterThanOrEqual(3);
    });
  });

  it("counts a row that was foreseen once", async () => {
    await onBench(async (bench) => {
      bench.put("east", 1, [share([A])]);
      bench.restart();
      let rows = 0;
      bench.onUsed = () => {
        const used = { ...NO_USAGE, rowsWritten: bench.rowsWritten() - rows };
        rows = bench.rowsWritten();
        return used;
      };
      bench.restart();
      rows = bench.rowsWritten();
      const before = days(bench)?.today.coordinators.rowsWritten ?? 0;
      const written = bench.rowsWritten();
      await bench.run(MINUTE, REGIONS_3);
      expect((days(bench)?.today.coordinators.rowsWritten ?? 0) - before).toBe(bench.rowsWritten() - written);
    });
  });

  it("turns with the UTC day, and keeps yesterday", async () => {
    await onBench(async (bench) => {
      bench.put("east", 1, [share([A])]);
      await bench.settle();
      const since = bench.now;
      for (const report of reportsOf(bench, ["weur"], ROUND)) bench.send(report);
      bench.now = Date.UTC(2026, 11, 1, 0, 0, 10);
      for (const report of reportsOf(bench, ["weur"], ROUND)) bench.send(report);
      expect(days(bench)).toMatchObject({
        today: { since: Date.UTC(2026, 11, 1), probers: { weur: ROUND } },
        yesterday: { since, probers: { weur: ROUND } },
      });
    });
  });

  it("of a cluster comes with its contact and with the heartbeat, and rows of before it are read", async () => {
    await onBench((bench, { sql }) => {
      bench.put("east", 1, [share([A])]);
      sql.exec(
        "INSERT OR REPLACE INTO seen (key, value) VALUES ('*', ?)",
        JSON.stringify({ at: bench.now, shards: {} }),
      );
      bench.restart();
      const number = { epoch: bench.now, n: 1 };
      bench.coordination.contact({ cluster: "east", sharesNumber: number, decisionsNumber: number, usage: ROUND });
      expect(days(bench)?.today.clusters).toEqual(ROUND);
      bench.now += MINUTE;
      bench.coordination.heartbeat({ ...NO_USAGE, requests: 1 });
      bench.restart();
      expect(days(bench)?.today.clusters).toEqual({ ...ROUND, requests: ROUND.requests + 1 });
      sql.exec(
        "UPDATE seen SET value = ? WHERE key = '*'",
        JSON.stringify({ at: bench.now, shards: {}, usage: 7, counted: 7 }),
      );
      bench.restart();
      expect(days(bench)?.today.clusters).toEqual(NO_USAGE);
      expect(bench.coordination.listEvents(0).some(({ type }) => type === "RecordRefused")).toBe(false);
    });
  });
});

describe("the free plan", () => {
  const quotaEvents = (bench: Bench) => bench.coordination.listEvents(0).filter(({ type }) => type === "QuotaNear");

  it("is told of once a day when most of it is used, also over sleeps, and the notifier as long as the day lasts", async () => {
    await onBench(
      async (bench) => {
        const kinds: string[][] = [];
        bench.onTroubles = async ({ at, troubles }) => {
          kinds.push(troubles.map(({ kind, key }) => `${kind} ${key}`));
          return { at };
        };
        bench.restart();
        bench.put("east", 1, [share([A])]);
        await bench.run(MINUTE, REGIONS_3);
        expect(quotaEvents(bench)).toEqual([]);
        for (const report of reportsOf(bench, ["weur"], { ...NO_USAGE, rowsWritten: 85_000 })) bench.send(report);
        await bench.run(2 * MINUTE, REGIONS_3);
        bench.restart();
        await bench.run(2 * MINUTE, REGIONS_3);
        expect(quotaEvents(bench)).toHaveLength(1);
        expect(quotaEvents(bench)[0]?.message).toContain("85 % or more of the 100,000 rows written");
        expect(kinds.at(-1)).toEqual(["QuotaNear quota/rows written"]);
        bench.now = Date.UTC(2026, 11, 1, 0, 0, 30);
        await bench.run(2 * MINUTE, REGIONS_3);
        expect(kinds.at(-1)).toEqual([]);
        for (const report of reportsOf(bench, ["weur"], { ...NO_USAGE, requests: 90_000 })) bench.send(report);
        await bench.run(MINUTE, REGIONS_3);
        expect(quotaEvents(bench).at(-1)?.message).toContain("100,000 requests");
      },
      { isFreePlan: true },
    );
  });

  it("is nobody's concern on the paid one", async () => {
    await onBench(async (bench) => {
      bench.put("east", 1, [share([A])]);
      await bench.settle();
      for (const report of reportsOf(bench, ["weur"], { ...NO_USAGE, rowsWritten: 9_000_000 })) bench.send(report);
      await bench.run(2 * MINUTE, REGIONS_3);
      expect(quotaEvents(bench)).toEqual([]);
    });
  });
});
