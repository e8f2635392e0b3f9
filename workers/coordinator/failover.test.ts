import { describe, expect, it } from "vitest";
import { MINUTE, onBench, REGIONS_3, SECOND, share } from "./testing/bench.ts";

const A = "203.0.113.10";
const B = "203.0.113.20";
const idOf = (leaf: string) => `east/shop/api/${leaf}`;

describe("a failover", () => {
  it("withdraws a leaf that fails, and brings it back", async () => {
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
      expect(bench.published()).toEqual([B]);
      expect(bench.delivered.get("east")?.records[0]?.endpoints[0]?.targets).toEqual([B]);
      bench.probers.outcome = () => "Ok";
      await bench.run(20 * SECOND, REGIONS_3);
      expect(bench.delivered.get("east")?.records[0]?.endpoints[0]?.targets).toEqual([A, B]);
    });
  });
});
