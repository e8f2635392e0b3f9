import { describe, expect, it } from "vitest";
import { type Bench, MINUTE, onBench, REGIONS_3, SECOND, share } from "../../../test/support/coordinator/bench.ts";

const A = "203.0.113.10";
const B = "203.0.113.20";
const ID = `east/shop/api/${A}`;

async function running(bench: Bench): Promise<void> {
  bench.put("east", 1, [share([A, B])]);
  await bench.run(MINUTE, REGIONS_3);
}

describe("an edit", () => {
  it("of the quorum keeps what is counted, and is judged at once", async () => {
    await onBench(async (bench) => {
      await running(bench);
      bench.probers.outcome = (leaf, region) => (leaf === A && region === "apac" ? "ConnectFailed" : "Ok");
      await bench.run(MINUTE, REGIONS_3);
      expect(bench.verdict(ID)).toBe("Healthy");
      bench.put("east", 2, [share([A, B], { check: { quorum: "Any" } })]);
      expect(bench.verdict(ID)).toBe("Unhealthy");
      bench.put("east", 3, [share([A, B], { check: { quorum: "Majority" } })]);
      expect(bench.verdict(ID)).toBe("Healthy");
    });
  });

  it("of the thresholds applies to the counts as they stand, and to the probers' next report", async () => {
    await onBench(async (bench) => {
      await running(bench);
      bench.probers.outcome = (leaf) => (leaf === A ? "ConnectFailed" : "Ok");
      await bench.run(20 * SECOND, REGIONS_3);
      expect(bench.verdict(ID)).toBe("Healthy");
      bench.put("east", 2, [share([A, B], { check: { failureThreshold: 1 } })]);
      expect(bench.verdict(ID)).toBe("Unhealthy");
      const provenAt = bench.coordination.readProbe(ID)?.provenAt;
      bench.restart();
      expect(bench.verdict(ID)).toBe("Unhealthy");
      expect(bench.coordination.readProbe(ID)?.provenAt).toBe(provenAt);
    });
  });

  it("of the regions moves the probe, and its regions keep their counts", async () => {
    await onBench(async (bench) => {
      await running(bench);
      bench.probers.outcome = (leaf) => (leaf === A ? "ConnectFailed" : "Ok");
      await bench.run(MINUTE, REGIONS_3);
      bench.put("east", 2, [share([A, B], { check: { regions: ["weur", "enam", "apac", "sam", "oc"] } })]);
      await bench.settle();
      expect(bench.verdict(ID)).toBe("Unhealthy");
      const moved = bench.probers.assigned.filter(({ shard }) => shard.n === 1);
      const carried = moved.map(({ shard, probes }) => [
        shard.region,
        probes.find(({ id }) => id === ID)?.carried?.says,
      ]);
      expect(carried.sort()).toEqual([
        ["apac", "Unhealthy"],
        ["enam", "Unhealthy"],
        ["oc", undefined],
        ["sam", undefined],
        ["weur", "Unhealthy"],
      ]);
      expect(bench.probers.ids().filter((id) => id === ID)).toHaveLength(5);
      await bench.run(10 * SECOND, ["weur", "enam", "apac", "sam", "oc"]);
      expect(bench.verdict(ID)).toBe("Unhealthy");
      bench.put("east", 3, [share([A, B], { check: { regions: ["sam"] } })]);
      await bench.settle();
      expect(bench.probers.ids().filter((id) => id === ID)).toHaveLength(1);
    });
  });

  it("of the interval waits for the new rhythm, and recounts nothing", async () => {
    await onBench(async (bench) => {
      await running(bench);
      const since = bench.coordination.readProbe(ID)?.since;
      bench.put("east", 2, [share([A, B], { check: { interval: "1h" } })]);
      await bench.settle();
      await bench.run(50 * MINUTE, [], MINUTE);
      expect(bench.coordination.readProbe(ID)?.regions.map(({ freshness }) => freshness)).toEqual(
        expect.not.arrayContaining(["Silent"]),
      );
      bench.round(...REGIONS_3);
      expect(bench.coordination.readProbe(ID)).toMatchObject({ verdict: "Healthy", since });
      expect(bench.coordination.readProbe(ID)?.regions.map(({ counts }) => counts.successes)).toEqual([3, 3, 3]);
    });
  });

  it("of staleAfter alone makes no region silent at once", async () => {
    await onBench(async (bench) => {
      bench.put("east", 1, [share([A, B], { check: { staleAfter: "10m" } })]);
      await bench.run(MINUTE, REGIONS_3);
      await bench.run(5 * MINUTE, [], 10 * SECOND);
      const freshness = () => new Set(bench.coordination.readProbe(ID)?.regions.map((region) => region.freshness));
      expect(freshness()).toEqual(new Set(["Fresh"]));
      bench.put("east", 2, [share([A, B], { check: { staleAfter: "1m" } })]);
      expect(freshness()).toEqual(new Set(["Awaited"]));
      expect(bench.verdict(ID)).toBe("Healthy");
      await bench.run(3 * MINUTE, [], 5 * SECOND);
      expect(freshness()).toEqual(new Set(["Silent"]));
    });
  });

  it.each([
    ["path", { path: "/other" }],
    ["expectedBody", { expectedBody: "ok" }],
    ["expectedStatuses", { expectedStatuses: ["204"] }],
    ["port", { port: 81 }],
    ["host", { host: "other.example.com" }],
    ["addressPolicy", { addressPolicy: "All" as const }],
  ])("of the %s starts the counts anew", async (_, check) => {
    await onBench(async (bench) => {
      await running(bench);
      bench.put("east", 2, [share([A, B], { check })]);
      expect(bench.verdict(ID)).toBe("Pending");
      expect(bench.coordination.readProbe(ID)?.provenAt).toBeUndefined();
      expect(bench.published()).toEqual([A, B]);
    });
  });

  it.each([
    ["interval", { interval: "20s" }],
    ["timeout", { timeout: "1s" }],
    ["failureThreshold", { failureThreshold: 7 }],
    ["successThreshold", { successThreshold: 5 }],
    ["regions", { regions: ["weur" as const, "enam" as const] }],
    ["quorum", { quorum: "All" as const }],
    ["staleAfter", { staleAfter: "5m" }],
  ])("of the %s keeps verdict and proof", async (_, check) => {
    await onBench(async (bench) => {
      await running(bench);
      const before = bench.coordination.readProbe(ID);
      bench.put("east", 2, [share([A, B], { check })]);
      const after = bench.coordination.readProbe(ID);
      expect([after?.verdict, after?.since, after?.provenAt]).toEqual([
        before?.verdict,
        before?.since,
        before?.provenAt,
      ]);
    });
  });
});
