import { describe, expect, it } from "vitest";
import { MINUTE, onBench, REGIONS_3, SECOND, share } from "../../test/support/coordinator/bench.ts";

const A = "203.0.113.10";
const B = "203.0.113.20";
const other = { rootHost: "b.example.com", endpoints: [{ dnsName: "b.example.com", recordType: "A", targets: [A] }] };

describe("the view of a cluster's records", () => {
  it("has the check times of now, which no delivery has, and writes and numbers nothing", async () => {
    await onBench(async (bench) => {
      bench.put("east", 1, [share([A, B])]);
      await bench.run(MINUTE, REGIONS_3);
      await bench.run(10 * MINUTE, REGIONS_3);
      const written = bench.rowsWritten();
      const [record] = bench.coordination.viewRecords("east");
      bench.now += SECOND;
      expect(bench.coordination.viewRecords("east")).toHaveLength(1);
      expect(bench.rowsWritten()).toBe(written);
      expect(bench.delivered.get("east")?.records[0]?.probes[0]?.since).toBe(record?.probes[0]?.since);
      const checkedAt = (probes = record?.probes) => probes?.[0]?.regions[0]?.checkedAt ?? 0;
      expect(checkedAt() - checkedAt(bench.delivered.get("east")?.records[0]?.probes)).toBeGreaterThan(5 * MINUTE);
      bench.deliveries.length = 0;
      await bench.settle();
      expect(bench.deliveries).toEqual([]);
    });
  });

  it("holds the cluster's own records only, and nothing for one that nobody knows", async () => {
    await onBench(async (bench) => {
      bench.put("east", 1, [share([A, B])]);
      bench.put("west", 1, [share([], { spec: other })]);
      await bench.run(MINUTE, REGIONS_3);
      const hosts = (cluster: string) => bench.coordination.viewRecords(cluster).map(({ rootHost }) => rootHost);
      expect([hosts("east"), hosts("west"), hosts("nobody")]).toEqual([["api.example.com"], ["b.example.com"], []]);
    });
  });

  it("is empty while an edge without memory may not hand anything out", async () => {
    await onBench(async (bench) => {
      bench.coordination.registerCluster("east");
      bench.coordination.registerCluster("west");
      bench.put("east", 1, [share([A, B], { published: [A] })]);
      expect(bench.coordination.viewRecords("east")).toEqual([]);
      expect(bench.coordination.listRecords()).toHaveLength(1);
    });
  });
});
