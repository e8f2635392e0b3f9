import { afterEach, describe, expect, it, vi } from "vitest";
import { MINUTE, onBench, REGIONS_3, share } from "../../../test/support/coordinator/bench.ts";

const [A, B] = ["203.0.113.10", "203.0.113.20"];

afterEach(() => {
  vi.restoreAllMocks();
});

describe("the probers that have a record's history", () => {
  it("are those of its shards in each region, with the record's own probes", async () => {
    await onBench(async (bench) => {
      bench.put("east", 1, [share([A, B])]);
      await bench.run(MINUTE, REGIONS_3);
      const probers = bench.coordination.probersOf("api.example.com");
      expect(probers?.map(({ shard }) => shard.region).sort()).toEqual([...REGIONS_3].sort());
      for (const { shard, probes } of probers ?? []) {
        expect(shard).toMatchObject({ partition: 0, n: 0 });
        expect(probes.map(({ leaf }) => leaf)).toEqual([A, B]);
      }
    });
  });

  it("are none that have never answered: whoever asked such a one would make it, and settle where it lives", async () => {
    await onBench(async (bench) => {
      vi.spyOn(console, "warn").mockReturnValue();
      bench.onCall = () => {
        throw new Error("unreachable");
      };
      bench.put("east", 1, [share([A])]);
      await bench.settle();
      expect(bench.coordination.probersOf("api.example.com")).toEqual([]);
    });
  });

  it("are not known of a record that is not here", async () => {
    await onBench((bench) => {
      bench.put("east", 1, [share([A])]);
      expect(bench.coordination.probersOf("other.example.com")).toBeUndefined();
    });
  });
});
