import { describe, expect, it } from "vitest";
import { MINUTE, onBench, REGIONS_3, SECOND, share } from "../../../test/support/coordinator/bench.ts";

const LEAVES = ["203.0.113.10", "203.0.113.20", "203.0.113.30", "203.0.113.40"];

describe("a region", () => {
  it("that turns for most probes at one moment is suspect, and nothing is withdrawn for it", async () => {
    await onBench(async (bench) => {
      bench.put("east", 1, [share(LEAVES)]);
      await bench.run(MINUTE, REGIONS_3);
      bench.probers.outcome = (_, region) => (region === "apac" ? "ConnectTimeout" : "Ok");
      await bench.run(2 * MINUTE, REGIONS_3);
      expect(bench.published()).toEqual(LEAVES);
      const suspects = bench.coordination.listRegions().filter(({ suspect }) => suspect);
      expect(suspects.map(({ region }) => region)).toEqual(["apac"]);
      const advisory = expect.objectContaining({ type: "RegionSuspect", regions: ["apac"] });
      expect(bench.delivered.get("east")?.records[0]?.advisories).toContainEqual(advisory);
      bench.probers.outcome = () => "Ok";
      await bench.run(2 * MINUTE, REGIONS_3);
      expect(bench.coordination.listRegions().some(({ suspect }) => suspect)).toBe(false);
      expect(bench.delivered.get("east")?.records[0]?.advisories).toEqual([]);
    });
  });

  it("that dissents or is suspect is told of once, though the object sleeps between any two calls", async () => {
    await onBench(async (bench) => {
      bench.put("east", 1, [share(LEAVES)]);
      await bench.run(MINUTE, REGIONS_3);
      bench.probers.outcome = (_, region) => (region === "apac" ? "ConnectTimeout" : "Ok");
      await bench.run(2 * MINUTE, REGIONS_3);
      const { number } = bench.delivered.get("east") ?? {};
      for (let count = 0; count < 30; count += 1) {
        for (const region of REGIONS_3) {
          bench.now += 3 * SECOND;
          bench.restart();
          bench.round(region);
          await bench.settle();
        }
        bench.restart();
        bench.coordination.heartbeat();
        await bench.settle();
      }
      expect(bench.delivered.get("east")?.number).toEqual(number);
    });
  });

  it("is shown with where its probers ran, how late, and when they reported last", async () => {
    await onBench(async (bench) => {
      bench.put("east", 1, [share(LEAVES)]);
      await bench.run(MINUTE, REGIONS_3);
      const view = { shards: 1, silentShards: 0, probes: 4, lastReportAt: bench.now, lateMs: 3, suspect: false };
      expect(bench.coordination.listRegions()).toEqual([
        { region: "enam", colos: ["enam1"], ...view },
        { region: "weur", colos: ["weur1"], ...view },
        { region: "apac", colos: ["apac1"], ...view },
      ]);
    });
  });
});
