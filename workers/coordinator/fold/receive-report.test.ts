import { describe, expect, it } from "vitest";
import type { Report } from "../../../shared/model/messages/report.ts";
import type { Region } from "../../../shared/model/region.ts";
import { Bench, MINUTE, onBench, REGIONS_3, SECOND, share } from "../../../test/support/coordinator/bench.ts";
import { random, shuffled } from "../../../test/support/random.ts";

const A = "203.0.113.10";
const B = "203.0.113.20";
const ID = `east/shop/api/${A}`;
const STEP = 5 * SECOND;

describe("a report", () => {
  it("that changes nothing writes nothing, and the heartbeat one row a minute", async () => {
    await onBench(async (bench) => {
      bench.put("east", 1, [share([A, B])]);
      await bench.run(3 * MINUTE, REGIONS_3, STEP);
      const writes: number[] = [];
      for (let round = 0; round < 48; round += 1) {
        bench.now += STEP;
        const before = bench.rowsWritten();
        bench.round(...REGIONS_3);
        await bench.settle();
        expect(bench.rowsWritten()).toBe(before);
        if (round % 12 !== 11) continue;
        bench.coordination.heartbeat();
        bench.coordination.heartbeat();
        await bench.settle();
        writes.push(bench.rowsWritten() - before);
      }
      expect(writes).toEqual([1, 1, 1, 1]);
    });
  });

  it("of a steady failure writes as little", async () => {
    await onBench(async (bench) => {
      bench.put("east", 1, [share([A, B])]);
      bench.probers.outcome = (leaf) => (leaf === A ? "ConnectFailed" : "Ok");
      await bench.run(3 * MINUTE, REGIONS_3, STEP);
      const before = bench.rowsWritten();
      for (let round = 0; round < 20; round += 1) {
        bench.now += STEP;
        bench.round(...REGIONS_3);
        await bench.settle();
      }
      expect(bench.rowsWritten()).toBe(before);
    });
  });

  it("of a leaf that flaps costs at most a row for each probe and one for the shard, and no delivery", async () => {
    await onBench(async (bench) => {
      bench.put("east", 1, [share([A, B])]);
      await bench.run(3 * MINUTE, REGIONS_3, STEP);
      bench.deliveries.length = 0;
      const before = bench.rowsWritten();
      for (let sample = 0; sample < 100; sample += 1) {
        bench.probers.outcome = (leaf) => (leaf === A && sample % 2 === 0 ? "ConnectFailed" : "Ok");
        bench.now += STEP;
        bench.round(...REGIONS_3);
        await bench.settle();
      }
      expect(bench.verdict(ID)).toBe("Healthy");
      expect(bench.rowsWritten() - before).toBeLessThanOrEqual(100 * 3 * 2 + 10);
      expect(bench.coordination.readProbe(ID)?.advisories.map(({ type }) => type)).toContain("Flapping");
      // The event is emitted once per region, and not again while it flaps.
      expect(bench.deliveries.length).toBeLessThanOrEqual(3);
    });
  });

  it("of an outage that is over leaves no advice: what counted has not flapped", async () => {
    await onBench(async (bench) => {
      bench.put("east", 1, [share([A, B])]);
      await bench.run(3 * MINUTE, REGIONS_3, STEP);
      bench.probers.outcome = (leaf) => (leaf === A ? "ConnectFailed" : "Ok");
      await bench.run(MINUTE, REGIONS_3, STEP);
      expect(bench.verdict(ID)).toBe("Unhealthy");
      bench.probers.outcome = () => "Ok";
      for (let round = 0; round < 20; round += 1) {
        await bench.run(STEP, REGIONS_3, STEP);
        expect(bench.coordination.readProbe(ID)?.advisories.map(({ type }) => type)).not.toContain("Flapping");
      }
      expect(bench.verdict(ID)).toBe("Healthy");
    });
  });

  it("is dropped when it is older, also after a restart", async () => {
    await onBench(async (bench) => {
      bench.put("east", 1, [share([A, B])]);
      await bench.run(MINUTE, REGIONS_3);
      bench.probers.outcome = () => "ConnectFailed";
      const old: Report[] = [];
      for (let round = 0; round < 3; round += 1) {
        bench.now += 10 * SECOND;
        old.push(...bench.probers.round(REGIONS_3));
      }
      bench.probers.outcome = () => "Ok";
      for (let round = 0; round < 2; round += 1) {
        bench.now += 10 * SECOND;
        bench.round(...REGIONS_3);
      }
      for (const report of old) bench.send(report);
      expect(bench.verdict(ID)).toBe("Healthy");
      bench.restart();
      for (const report of old) bench.send(report);
      expect(bench.verdict(ID)).toBe("Healthy");
      expect(bench.coordination.readProbe(ID)?.consecutiveFailures).toBe(0);
    });
  });

  it("of a prober that lost its storage brings no counts before it has completed a check", async () => {
    await onBench(async (bench) => {
      bench.put("east", 1, [share([A, B])]);
      await bench.run(MINUTE, REGIONS_3);
      bench.probers.outcome = (leaf) => (leaf === A ? "ConnectFailed" : "Ok");
      await bench.run(30 * SECOND, REGIONS_3);
      bench.probers.outcome = () => "ResolverFailed";
      bench.now += 10 * SECOND;
      const reborn = bench.probers.round(REGIONS_3).map((report) => ({
        ...report,
        number: { epoch: bench.now, n: 1 },
        probes: report.probes.map(({ checkedAt: _, ...entry }) => ({
          ...entry,
          counts: { failures: 0, successes: 0, says: "Pending" as const },
        })),
      }));
      for (const report of reborn) bench.send(report);
      expect(bench.coordination.readProbe(ID)).toMatchObject({ verdict: "Unhealthy", consecutiveFailures: 3 });
    });
  });

  it("of what is not known here is ignored; an old assignment is answered with the newer one", async () => {
    await onBench(async (bench) => {
      bench.put("east", 1, [share([A])]);
      await bench.run(MINUTE, REGIONS_3);
      bench.onCall = () => {
        throw new Error("network connection lost");
      };
      bench.put("east", 2, [share([A, B])]);
      await bench.settle();
      bench.now += 10 * SECOND;
      const [report] = bench.probers.round(["apac"]);
      if (report === undefined) throw new Error("no report");
      const { assignment: answer } = bench.coordination.report(report);
      expect(answer?.probes.map(({ target }) => target.leaf)).toEqual([A, B]);
      const stranger = { ...report, shard: { ...report.shard, n: 77 }, number: { epoch: report.number.epoch, n: 99 } };
      const { assignment: goHome } = bench.coordination.report(stranger);
      expect(goHome?.probes).toEqual([]);
      expect(goHome?.number.n).toBeGreaterThan(report.assignment.n);
      const entries = report.probes.map((entry) => ({
        ...entry,
        revision: "another",
        counts: { failures: 9, successes: 0, says: "Unhealthy" as const },
      }));
      bench.coordination.report({ ...report, number: { epoch: report.number.epoch, n: 100 }, probes: entries });
      expect(bench.coordination.readProbe(ID)?.regions.find(({ region }) => region === "apac")?.counts.failures).toBe(
        0,
      );
    });
  });

  it("from a region with a fast clock does not count as newer than now", async () => {
    await onBench(async (bench) => {
      bench.put("east", 1, [share([A])]);
      await bench.run(MINUTE, REGIONS_3);
      const ahead = bench.probers.round(["apac"]).map((report) => ({
        ...report,
        roundAt: report.roundAt + 60 * MINUTE,
        probes: report.probes.map((entry) => ({ ...entry, checkedAt: (entry.checkedAt ?? 0) + 60 * MINUTE })),
      }));
      for (const report of ahead) bench.send(report);
      await bench.run(3 * MINUTE, ["enam", "weur"]);
      const freshness = bench.coordination.readProbe(ID)?.regions.map((region) => [region.region, region.freshness]);
      expect(freshness).toContainEqual(["apac", "Silent"]);
    });
  });

  it("that left before the prober knew its data centre does not unsay the one that is known", async () => {
    await onBench(async (bench) => {
      bench.put("east", 1, [share([A])]);
      await bench.run(MINUTE, REGIONS_3);
      for (const { colo: _, ...report } of bench.probers.round(["apac"])) bench.send(report);
      expect(bench.coordination.listRegions().flatMap(({ colos }) => colos)).toEqual(["enam1", "weur1", "apac1"]);
    });
  });

  it("from a region whose clock was fast for a while does not outnumber those that come after", async () => {
    await onBench(async (bench) => {
      bench.put("east", 1, [share([A, B])]);
      await bench.run(MINUTE, REGIONS_3);
      // Numbers rise with the prober's clock.
      const round = (aheadMs: number) => {
        for (const report of bench.probers.round(REGIONS_3)) {
          const number = { epoch: report.number.epoch, n: bench.now + aheadMs };
          bench.send({ ...report, number });
        }
      };
      round(60 * MINUTE);
      bench.probers.outcome = (leaf) => (leaf === A ? "ConnectFailed" : "Ok");
      for (let rounds = 0; rounds < 6; rounds += 1) {
        bench.now += 10 * SECOND;
        round(0);
        if (rounds === 3) bench.restart();
      }
      expect(bench.verdict(ID)).toBe("Unhealthy");
      expect(bench.published()).toEqual([B]);
    });
  }, 120_000);
});

describe("reports in any order, lost and repeated", () => {
  const endState = (bench: Bench) => ({
    verdicts: [A, B].map((leaf) => bench.verdict(`east/shop/api/${leaf}`)),
    words: bench.coordination.readProbe(ID)?.regions.map(({ counts }) => counts),
    delivered: bench.delivered.get("east")?.records.map(({ endpoints, leaves }) => ({ endpoints, leaves })),
  });

  /** Rounds of three regions, the outcomes by `seed`; the last rounds are the same for all orders. */
  async function play(bench: Bench, seed: number, isClean: boolean): Promise<unknown> {
    const outcomes = random(seed);
    const order = random(seed + 1_000_000);
    bench.put("east", 1, [share([A, B])]);
    await bench.settle();
    let late: Report[] = [];
    for (let round = 0; round < 12; round += 1) {
      bench.now += 10 * SECOND;
      const bad = new Set(REGIONS_3.filter(() => outcomes() < 0.5));
      bench.probers.outcome = (leaf: string, region: Region) =>
        leaf === A && bad.has(region) ? "ConnectFailed" : "Ok";
      const reports = bench.probers.round(REGIONS_3);
      if (isClean || round >= 9) for (const report of reports) bench.send(report);
      else late = disturb(bench, [...late, ...reports], order);
      await bench.settle();
    }
    bench.probers.outcome = (leaf) => (leaf === A && seed % 2 === 0 ? "ConnectFailed" : "Ok");
    for (let round = 0; round < 4; round += 1) {
      bench.now += 10 * SECOND;
      const reports = bench.probers.round(REGIONS_3);
      const sent = isClean ? reports : shuffled([...reports, ...reports, ...late], order);
      for (const report of sent) bench.send(report);
      await bench.settle();
    }
    bench.coordination.heartbeat();
    await bench.settle();
    return endState(bench);
  }

  /** Sends some, keeps some for later, loses some, repeats some, and now and then restarts; what is kept comes back. */
  function disturb(bench: Bench, reports: Report[], order: () => number): Report[] {
    const late: Report[] = [];
    for (const report of shuffled(reports, order)) {
      const dice = order();
      if (dice < 0.2) continue;
      if (dice < 0.5) late.push(report);
      if (dice > 0.4) bench.send(report);
      if (dice > 0.95) bench.restart();
    }
    return late;
  }

  it("end in the state of the clean order, 200 seeds", async () => {
    await onBench(async (_, storage) => {
      for (let seed = 0; seed < 200; seed += 1) {
        await storage.deleteAll();
        const clean = await play(new Bench(storage), seed, true);
        await storage.deleteAll();
        expect(await play(new Bench(storage), seed, false), `seed ${seed}`).toEqual(clean);
      }
    });
  }, 120_000);
});
