import { describe, expect, it } from "vitest";
import type { Region } from "../../shared/model/region.ts";
import { type Bench, onBench, REGIONS_3, SECOND, share } from "../../test/support/coordinator/bench.ts";

const NINE: Region[] = ["wnam", "enam", "sam", "weur", "eeur", "apac", "oc", "afr", "me"];

function records(count: number, regions: readonly Region[]) {
  return Array.from({ length: count }, (_, index) => {
    const rootHost = `r${index}.example.com`;
    const targets = Array.from({ length: 10 }, (_, leaf) => `10.${index >> 8}.${index & 255}.${leaf + 1}`);
    const endpoints = [{ dnsName: rootHost, recordType: "A", targets }];
    const check = { regions: [...regions], interval: "30s" };
    return share([], { name: `r${index}`, check, spec: { rootHost, endpoints } });
  });
}

async function round(bench: Bench, regions: readonly Region[]): Promise<number> {
  bench.now += 30 * SECOND;
  const reports = bench.probers.round(regions);
  const start = performance.now();
  for (const report of reports) bench.coordination.report(report);
  return (performance.now() - start) / reports.length;
}

describe("many probes", () => {
  it("get their decisions through also when everything fails: what is sent stays below what a message may have", async () => {
    await onBench(async (bench) => {
      bench.put("east", 1, records(240, NINE));
      await bench.settle();
      bench.probers.outcome = () => "ConnectTimeout";
      for (let count = 0; count < 3; count += 1) await round(bench, NINE);
      await bench.settle();
      const delivered = bench.delivered.get("east");
      expect(delivered?.records).toHaveLength(240);
      expect(delivered?.records[0]?.probes[0]?.verdict).toBe("Unhealthy");
      // Of 32 MiB no more than its part of 90,000 words, which are 10,000 endpoints in nine regions.
      expect(JSON.stringify(delivered).length).toBeLessThan((32 * 1024 * 1024 * 240 * 90) / 90_000);
      expect(bench.coordination.readRecord("r1.example.com")?.probes[0]?.regions[0]?.observation?.reason).toBe(
        "ConnectTimeout",
      );
    });
  });

  it("cost a report no more than few do", async () => {
    const cost = async (count: number) => {
      let least = Number.POSITIVE_INFINITY;
      await onBench(async (bench) => {
        bench.put("east", 1, records(count, REGIONS_3));
        await bench.settle();
        for (let rounds = 0; rounds < 6; rounds += 1) least = Math.min(least, await round(bench, REGIONS_3));
      });
      return least;
    };
    const few = await cost(12);
    expect(await cost(240)).toBeLessThan(few * 5);
  });
});
