import { describe, expect, it } from "vitest";
import type { ShareInput } from "../../../shared/model/messages/shares.ts";
import {
  type Bench,
  type HealthCheckInput,
  MINUTE,
  onBench,
  REGIONS_3,
  share,
} from "../../../test/support/coordinator/bench.ts";

const record = (index: number, check: Partial<HealthCheckInput> = {}): ShareInput => {
  const rootHost = `r${index}.example.com`;
  const endpoints = [{ dnsName: rootHost, recordType: "A", targets: ["203.0.113.10"] }];
  return share([], { name: `r${index}`, check, spec: { rootHost, endpoints } });
};
const records = (count: number) => Array.from({ length: count }, (_, index) => record(index));

/** Members of each shard, the same in each of its regions. */
function shardsOf(bench: Bench): Map<string, string[]> {
  const shards = new Map<string, string[]>();
  for (const { assignment } of bench.probers.probers.values()) {
    const { intervalMs, n } = assignment.shard;
    const ids = assignment.probes.map(({ id }) => id);
    const key = `${intervalMs}/${n}`;
    expect(shards.get(key) ?? ids).toEqual(ids);
    shards.set(key, ids);
  }
  return shards;
}
const sizesOf = (bench: Bench) => [...shardsOf(bench)].map(([key, ids]) => [key, ids.length]).sort();

describe("placement", () => {
  it("puts up to 30 probes on a shard, which is the same in every region", async () => {
    await onBench(async (bench) => {
      bench.put("east", 1, records(70));
      await bench.settle();
      expect(sizesOf(bench)).toEqual([
        ["10000/0", 30],
        ["10000/1", 30],
        ["10000/2", 10],
      ]);
      expect([...bench.probers.probers.values()].every(({ assignment }) => assignment.shard.regions.length === 3)).toBe(
        true,
      );
    });
  });

  it("is remembered: a restart, a removal and an addition move nobody; holes are filled", async () => {
    await onBench(async (bench) => {
      const all = records(70);
      bench.put("east", 1, all);
      await bench.settle();
      const before = shardsOf(bench);
      bench.restart();
      bench.put("east", 2, [...all.slice(0, 5), ...all.slice(10), record(100)]);
      await bench.settle();
      const after = shardsOf(bench);
      for (const [key, ids] of before) {
        const kept = ids.filter((id) => !/\/r[5-9]\//.test(id));
        expect(after.get(key)).toEqual(expect.arrayContaining(kept));
      }
      expect(after.get("10000/0")).toContain("east/shop/r100/203.0.113.10");
    });
  });

  it("separates classes: interval and set of regions", async () => {
    await onBench(async (bench) => {
      bench.put("east", 1, [record(1), record(2, { interval: "30s" }), record(3, { regions: ["weur"] }), record(4)]);
      await bench.settle();
      expect(sizesOf(bench)).toEqual([
        ["10000/0", 2],
        ["10000/1", 1],
        ["30000/0", 1],
      ]);
    });
  });

  it("empties a shard with an empty assignment, and goes on with its numbers when it is used again", async () => {
    await onBench(async (bench) => {
      bench.put("east", 1, [record(1)]);
      await bench.settle();
      const first = bench.probers.assigned.at(-1);
      bench.put("east", 2, []);
      await bench.settle();
      expect(sizesOf(bench)).toEqual([["10000/0", 0]]);
      bench.restart();
      bench.put("east", 3, [record(2)]);
      await bench.settle();
      expect(sizesOf(bench)).toEqual([["10000/0", 1]]);
      expect(bench.probers.assigned.at(-1)?.number.n).toBe((first?.number.n ?? 0) + 2);
    });
  });

  it("forgets a shard that is empty once every region knows it, and what was seen of it; not before", async () => {
    await onBench(async (bench, { sql }) => {
      const rows = (table: string) => sql.exec<{ key: string }>(`SELECT key FROM ${table}`).toArray();
      bench.put("east", 1, [record(1), record(2, { interval: "30s" })]);
      await bench.run(MINUTE, REGIONS_3);
      let isCut = true;
      bench.probers.assign = ((assign) => (assignment) => {
        if (isCut && assignment.shard.region === "apac") throw new Error("Network connection lost.");
        return assign.call(bench.probers, assignment);
      })(bench.probers.assign);
      bench.put("east", 2, [record(1)]);
      await bench.settle();
      expect(rows("shards")).toHaveLength(2);
      bench.restart();
      isCut = false;
      bench.coordination.heartbeat();
      await bench.settle();
      expect(bench.probers.ids()).toHaveLength(3);
      expect(rows("shards").map(({ key }) => key)).toEqual(["10000/0"]);
      expect(rows("seen").filter(({ key }) => key.startsWith("30000/"))).toEqual([]);
    });
  });

  it("gives a shard that was forgotten, and is wanted again, numbers above those that its probers hold", async () => {
    await onBench(async (bench, { sql }) => {
      for (let n = 1; n < 20; n += 2) {
        bench.put("east", n, [record(1)]);
        await bench.settle();
        bench.put("east", n + 1, []);
        await bench.settle();
        expect(sql.exec("SELECT key FROM shards").toArray()).toEqual([]);
      }
      bench.now -= MINUTE;
      bench.restart();
      bench.put("east", 21, [record(1)]);
      const before = bench.probers.assigned.length;
      await bench.settle();
      expect(bench.probers.assigned).toHaveLength(before + 3);
      expect(bench.probers.ids()).toHaveLength(3);
    });
  });

  it("fills the shards there are before it takes the number of one that was forgotten", async () => {
    await onBench(async (bench) => {
      const all = records(65);
      bench.put("east", 1, all);
      await bench.settle();
      bench.put("east", 2, all.slice(30));
      await bench.settle();
      bench.put("east", 3, [...all.slice(30), record(100)]);
      await bench.settle();
      expect(shardsOf(bench).get("10000/2")).toContain("east/shop/r100/203.0.113.10");
      expect(shardsOf(bench).get("10000/0")).toEqual([]);
    });
  });

  it("leaves a prober the time for all of a shard to hang: dead leaves are asked before their last word is stale", async () => {
    await onBench(async (bench) => {
      const dark = Array.from({ length: 29 }, (_, n) => `203.0.113.${100 + n}`);
      bench.put("east", 1, [share(["203.0.113.10", ...dark], { check: { timeout: "10s" } })]);
      await bench.run(MINUTE, REGIONS_3);
      // Leaves that hang are asked three at once, and have ten seconds each: nobody asks the others in this round.
      bench.probers.outcome = (leaf, region, { id }) => {
        if (leaf === "203.0.113.10") return "Ok";
        const [prober] = [...bench.probers.probers.values()].filter(({ assignment }) => {
          return assignment.shard.region === region && assignment.probes.some((probe) => probe.id === id);
        });
        const probes = prober?.assignment.probes ?? [];
        const turns = Math.ceil(probes.length / 3);
        const turn = Math.floor(probes.findIndex((probe) => probe.id === id) / 3);
        return (prober?.rounds ?? 0) % turns === turn ? "ConnectTimeout" : "InternalError";
      };
      await bench.run(5 * MINUTE, REGIONS_3);
      for (let step = 0; step < 60; step += 1) {
        expect(bench.published()).toEqual(["203.0.113.10"]);
        await bench.run(10_000, REGIONS_3);
      }
    });
  });

  it("gives checks that hang four fifths of the time until their results are stale", async () => {
    await onBench(async (bench) => {
      const dark = Array.from({ length: 15 }, (_, n) => `203.0.113.${100 + n}`);
      // Three at once, ten seconds each: twelve take 40 of the 50 seconds between a round and staleness.
      bench.put("east", 1, [share(dark, { check: { timeout: "10s", staleAfter: "1m" } })]);
      await bench.settle();
      expect(sizesOf(bench)).toEqual([
        ["10000/0", 12],
        ["10000/1", 3],
      ]);
    });
  });

  it("moves a probe whose time an edit has made too long for its shard", async () => {
    await onBench(async (bench) => {
      bench.put("east", 1, records(12));
      await bench.settle();
      expect(sizesOf(bench)).toEqual([["10000/0", 12]]);
      const slow = Array.from({ length: 12 }, (_, index) => record(index, { timeout: "10s", staleAfter: "1m" }));
      bench.put("east", 2, [...slow, ...records(30).slice(12)]);
      await bench.settle();
      const sizes = sizesOf(bench);
      expect(sizes.length).toBeGreaterThan(1);
      bench.restart();
      bench.put("east", 3, [...slow, ...records(30).slice(12)]);
      await bench.settle();
      expect(sizesOf(bench)).toEqual(sizes);
    });
  });

  it("is sent again until it is acknowledged, whatever is thrown and whenever the object is restarted", async () => {
    await onBench(async (bench) => {
      let calls = 0;
      bench.onCall = () => {
        calls += 1;
        if (calls % 3 === 0) throw new Error("Durable Object reset because its code was updated.");
      };
      for (let n = 1; n <= 10; n += 1) {
        bench.put("east", n, records(n * 7));
        if (n % 2 === 0) bench.restart();
        await bench.run(MINUTE, REGIONS_3);
      }
      expect(bench.probers.ids()).toHaveLength(70 * 3);
      expect(bench.coordination.listRecords().every(({ leaves }) => leaves.every(({ published }) => published))).toBe(
        true,
      );
      bench.coordination.heartbeat();
      await bench.settle();
      expect(bench.delivered.get("east")?.records.map(({ leaves }) => leaves)).toEqual(
        bench.coordination.listRecords().map(({ leaves }) => leaves),
      );
    });
  });
});
