import { describe, expect, it } from "vitest";
import { saturate } from "../../shared/health/count.ts";
import type { Region } from "../../shared/model/region.ts";
import { type Bench, MINUTE, onBench, REGIONS_3, SECOND, share } from "../../test/support/coordinator/bench.ts";

const A = "203.0.113.10";
const B = "203.0.113.20";
const C = "203.0.113.30";
const idOf = (leaf: string) => `east/shop/api/${leaf}`;

/** What an observer can tell of the failover after each step. */
const viewOf = (bench: Bench) => ({
  delivered: bench.delivered.get("east")?.records.map(({ endpoints, leaves }) => ({ endpoints, leaves })),
  verdicts: [A, B].map((leaf) => {
    const probe = bench.coordination.readProbe(idOf(leaf));
    return [probe?.verdict, probe?.since, probe?.provenAt];
  }),
  counts: [A, B].map((leaf) => {
    const probe = bench.coordination.readProbe(idOf(leaf));
    return probe?.regions.map(({ counts }) => saturate(counts, probe));
  }),
});

/** A fails everywhere, recovers, and fails from one region. `between` runs after each report and each sending. */
async function failover(bench: Bench, between: () => void): Promise<unknown[]> {
  const views: unknown[] = [];
  const rounds = async (count: number, regions: readonly Region[] = REGIONS_3) => {
    for (let round = 0; round < count; round += 1) {
      for (const region of regions) {
        bench.now += 3 * SECOND;
        between();
        bench.round(region);
        between();
        await bench.settle();
        between();
      }
      bench.now += SECOND;
      bench.coordination.heartbeat();
      between();
      await bench.settle();
      // The cluster's regular contact corrects what a restart lost.
      const held = bench.delivered.get("east")?.number ?? { epoch: 0, n: 0 };
      const word = { cluster: "east", sharesNumber: { epoch: bench.now, n: 0 }, decisionsNumber: held };
      bench.take(bench.coordination.contact(word).decisions);
      views.push(viewOf(bench));
    }
  };
  bench.coordination.registerCluster("east");
  between();
  bench.put("east", 1, [share([A, B])]);
  between();
  bench.coordination.heartbeat();
  await bench.settle();
  await rounds(3);
  bench.probers.outcome = (leaf) => (leaf === A ? "ConnectTimeout" : "Ok");
  await rounds(4);
  bench.probers.outcome = () => "Ok";
  await rounds(3);
  bench.probers.outcome = (leaf, region) => (leaf === A && region === "apac" ? "UnexpectedStatus" : "Ok");
  await rounds(4);
  bench.probers.outcome = (leaf, region) => (leaf === A && region !== "weur" ? "UnexpectedStatus" : "Ok");
  await rounds(4);
  return views;
}

describe("a failover", () => {
  it("withdraws a leaf after failureThreshold + 1 failures in a quorum, and brings it back", async () => {
    await onBench(async (bench) => {
      bench.coordination.registerCluster("east");
      bench.put("east", 1, [share([A, B])]);
      await bench.settle();
      expect(bench.published()).toEqual([]);
      await bench.run(MINUTE, REGIONS_3);
      expect(bench.published()).toEqual([A, B]);
      bench.probers.outcome = (leaf) => (leaf === A ? "ConnectFailed" : "Ok");
      await bench.run(20 * SECOND, REGIONS_3);
      expect(bench.verdict(idOf(A))).toBe("Healthy");
      await bench.run(10 * SECOND, REGIONS_3);
      expect(bench.verdict(idOf(A))).toBe("Unhealthy");
      expect(bench.delivered.get("east")?.records[0]?.endpoints[0]?.targets).toEqual([B]);
      bench.probers.outcome = () => "Ok";
      await bench.run(20 * SECOND, REGIONS_3);
      expect(bench.delivered.get("east")?.records[0]?.endpoints[0]?.targets).toEqual([A, B]);
      const events = bench.coordination.listEvents(0).filter(({ type }) => type === "VerdictChanged");
      expect(events.map(({ message }) => message)).toEqual([
        `${A}: Pending → Healthy`,
        `${B}: Pending → Healthy`,
        `${A}: Healthy → Unhealthy`,
        `${A}: Unhealthy → Healthy`,
      ]);
    });
  });

  it("has the same outcome when the object is restarted between any two steps", async () => {
    const clean: unknown[] = [];
    await onBench(async (bench) => {
      clean.push(...(await failover(bench, () => {})));
    });
    await onBench(async (bench) => {
      expect(await failover(bench, () => bench.restart())).toEqual(clean);
    });
  });

  it("keeps the last one, and says so", async () => {
    await onBench(async (bench) => {
      bench.put("east", 1, [share([A, B, C])]);
      await bench.run(MINUTE, REGIONS_3);
      bench.probers.outcome = () => "ConnectFailed";
      await bench.run(MINUTE, REGIONS_3);
      const record = bench.coordination.readRecord("api.example.com");
      expect(record?.advisories.map(({ type }) => type)).toContain("KeptLast");
      expect(bench.published().length).toBeGreaterThan(0);
      bench.probers.outcome = (leaf) => (leaf === C ? "Ok" : "ConnectFailed");
      await bench.run(20 * SECOND, REGIONS_3);
      expect(bench.published()).toEqual([C]);
      expect(bench.coordination.readRecord("api.example.com")?.advisories).toEqual([]);
    });
  });

  it("keeps of two that failed the one that answered last, also where the object sleeps between two reports", async () => {
    await onBench(async (bench) => {
      const run = async (durationMs: number, failing: readonly string[]) => {
        bench.probers.outcome = (leaf) => (failing.includes(leaf) ? "ConnectFailed" : "Ok");
        for (const end = bench.now + durationMs; bench.now < end; ) {
          bench.restart();
          await bench.run(10 * SECOND, REGIONS_3);
        }
      };
      bench.put("east", 1, [share([A, B, C], { spec: { minPublished: 2 } })]);
      await run(10 * MINUTE, []);
      await run(MINUTE, [A]);
      expect(bench.published()).toEqual([B, C]);
      await run(MINUTE, [A, B]);
      expect(bench.published()).toEqual([B, C]);
      bench.put("east", 2, [share([A, B, C], { spec: { minPublished: 1 } })]);
      expect(bench.published()).toEqual([C]);
      bench.put("east", 3, [share([A, B, C], { spec: { minPublished: 2 } })]);
      expect(bench.published()).toEqual([B, C]);
    });
  });

  it("does not withdraw for one region of three, and names it", async () => {
    await onBench(async (bench) => {
      bench.put("east", 1, [share([A, B])]);
      await bench.run(MINUTE, REGIONS_3);
      bench.probers.outcome = (_, region) => (region === "apac" ? "ConnectTimeout" : "Ok");
      await bench.run(200 * SECOND, REGIONS_3);
      expect(bench.published()).toEqual([A, B]);
      const [advisory] = bench.coordination.readProbe(idOf(A))?.advisories ?? [];
      expect(advisory).toMatchObject({ type: "Dissent", regions: ["apac"] });
      expect(advisory?.message).toContain("20 failed checks in a row");
      bench.probers.outcome = (_, region) => (region === "weur" ? "Ok" : "ConnectTimeout");
      await bench.run(20 * SECOND, REGIONS_3);
      expect(bench.verdict(idOf(A))).toBe("Healthy");
      await bench.run(10 * SECOND, REGIONS_3);
      expect(bench.verdict(idOf(A))).toBe("Unhealthy");
    });
  });

  it("takes trouble of the prober's own for neither a success nor a failure", async () => {
    await onBench(async (bench) => {
      bench.put("east", 1, [share([A, B])]);
      await bench.run(MINUTE, REGIONS_3);
      const reasons = ["ConnectTimeout", "InternalError", "ConnectTimeout", "ProberUnreachable"] as const;
      for (const reason of reasons) {
        bench.probers.outcome = () => reason;
        await bench.run(10 * SECOND, REGIONS_3);
      }
      expect(bench.verdict(idOf(A))).toBe("Healthy");
      bench.probers.outcome = () => "ConnectFailed";
      await bench.run(10 * SECOND, REGIONS_3);
      expect(bench.verdict(idOf(A))).toBe("Unhealthy");
    });
  });
});
