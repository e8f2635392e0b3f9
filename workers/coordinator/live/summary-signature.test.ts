import { describe, expect, it } from "vitest";
import type { RecordSummary } from "../../../shared/model/overview.ts";
import { type Bench, MINUTE, onBench, REGIONS_3, SECOND, share } from "../../../test/support/coordinator/bench.ts";
import { OverviewCache } from "./overview-cache.ts";

const A = "203.0.113.10";
const B = "203.0.113.20";
const HOST = "api.example.com";
const other = { rootHost: "b.example.com", endpoints: [{ dnsName: "b.example.com", recordType: "A", targets: [B] }] };

/** The messages to the watchers during the work. */
async function toldOf(bench: Bench, work: () => Promise<void> | void): Promise<string[]> {
  bench.changed.clear();
  await work();
  return [...bench.changed].sort();
}

const regionsOf = (bench: Bench) => bench.coordination.overview().records[0]?.regions.map(({ says }) => says);

async function steady(bench: Bench): Promise<void> {
  bench.put("east", 1, [share([A]), share([], { name: "b", spec: other })]);
  await bench.run(2 * MINUTE, REGIONS_3);
}

describe("those who watch are told of a record", () => {
  it("when a region says something else of it, before any verdict is another", async () => {
    await onBench(async (bench) => {
      await steady(bench);
      bench.probers.outcome = (leaf, region) => (leaf === A && region === "weur" ? "ConnectFailed" : "Ok");
      const told = await toldOf(bench, () => bench.run(30 * SECOND, REGIONS_3));
      expect(told).toEqual([HOST]);
      expect(regionsOf(bench)).toEqual(["Healthy", "Healthy", "Unhealthy"]);
      expect(bench.verdict(`east/shop/api/${A}`)).toBe("Healthy");
    });
  });

  it("when a region fails it for another reason", async () => {
    await onBench(async (bench) => {
      await steady(bench);
      bench.probers.outcome = (leaf) => (leaf === A ? "ConnectFailed" : "Ok");
      await bench.run(MINUTE, REGIONS_3);
      bench.probers.outcome = (leaf) => (leaf === A ? "ConnectTimeout" : "Ok");
      expect(await toldOf(bench, () => bench.run(10 * SECOND, REGIONS_3))).toEqual([HOST]);
      expect(bench.coordination.overview().records[0]?.leaves[0]?.against?.saw).toEqual(["connect timeout"]);
    });
  });

  it("when a region falls silent, also where the coordinator slept meanwhile", async () => {
    await onBench(async (bench) => {
      await steady(bench);
      const silent = await toldOf(bench, () => bench.run(3 * MINUTE, ["apac", "enam"]));
      expect(silent).toEqual([HOST, "b.example.com"]);
      expect(regionsOf(bench)).toEqual(["Healthy", "Healthy", "Silent"]);
    });
    await onBench(async (bench) => {
      await steady(bench);
      // Cron came last, and the others report once more, before the coordinator is put to sleep.
      bench.now += 40 * SECOND;
      bench.round("apac", "enam");
      bench.now += 30 * MINUTE;
      bench.restart();
      const told = await toldOf(bench, async () => {
        for (let count = 0; count < 4; count += 1) {
          bench.now += 20 * SECOND;
          bench.round("apac", "enam");
          bench.coordination.heartbeat();
        }
      });
      expect(told).toEqual([HOST, "b.example.com"]);
    });
  });

  it("that is new, and of one that is no more", async () => {
    await onBench(async (bench) => {
      await steady(bench);
      const next = { rootHost: "c.example.com", endpoints: [{ ...other.endpoints[0], dnsName: "c.example.com" }] };
      const shares = [share([A]), share([], { name: "c", spec: next })];
      expect(await toldOf(bench, () => void bench.put("east", 2, shares))).toEqual(["b.example.com", "c.example.com"]);
      const { records, removed } = bench.coordination.liveSource.summaries(["b.example.com", "c.example.com"]);
      expect([records.map(({ rootHost }) => rootHost), removed]).toEqual([["c.example.com"], ["b.example.com"]]);
      expect(await toldOf(bench, () => bench.coordination.removeCluster("east", bench.now))).toEqual([
        HOST,
        "c.example.com",
      ]);
    });
  });
});

describe("those who watch are told of nothing", () => {
  it("while all goes on as it was, also where the coordinator sleeps between any two reports", async () => {
    await onBench(async (bench) => {
      await steady(bench);
      expect(await toldOf(bench, () => bench.run(5 * MINUTE, REGIONS_3))).toEqual([]);
      const told = await toldOf(bench, async () => {
        for (let count = 0; count < 12; count += 1) {
          for (const region of REGIONS_3) {
            bench.now += 3 * SECOND;
            bench.restart();
            bench.round(region);
          }
          bench.coordination.heartbeat();
        }
      });
      expect(told).toEqual([]);
    });
  });
});

describe("the overview", () => {
  it("is made once a second while no record changes, and anew as soon as one does", async () => {
    await onBench(async (bench) => {
      await steady(bench);
      const first = bench.coordination.overview();
      bench.now += SECOND / 2;
      expect(bench.coordination.overview().records).toBe(first.records);
      bench.coordination.registerCluster("west");
      expect(bench.coordination.overview()).toMatchObject({ at: first.at, clusters: ["east", "west"] });
      bench.put("east", 2, [share([A])]);
      expect(bench.coordination.overview()).toMatchObject({ at: bench.now, records: [{ rootHost: HOST }] });
      const second = bench.coordination.overview();
      bench.put("east", 3, []);
      expect(bench.coordination.overview().records).toEqual([]);
      bench.now += SECOND;
      expect(bench.coordination.overview().records).not.toBe(second.records);
      expect(bench.coordination.overview().at).toBe(bench.now);
    });
  });

  it("makes anew only what changed, also where it changes all the time", async () => {
    const asked: string[][] = [];
    const summaries = (hosts: Iterable<string>) => {
      const names = [...hosts];
      asked.push(names);
      return { records: names.map((rootHost) => ({ rootHost }) as RecordSummary), removed: [] };
    };
    const held = new OverviewCache({ rootHosts: () => ["a", "b", "c"], summaries, regions: () => [] });
    held.markChanged(["a"], 1_000);
    for (let at = 1_000; at < 2_000; at += 250) {
      held.read(at);
      held.markChanged(["b"], at);
    }
    expect(held.read(2_000).records.map(({ rootHost }) => rootHost)).toEqual(["a", "b", "c"]);
    expect(asked).toEqual([["a", "b", "c"], ["b"], ["b"], ["b"], ["a", "b", "c"]]);
  });
});
