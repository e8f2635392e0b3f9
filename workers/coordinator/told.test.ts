import { describe, expect, it } from "vitest";
import { type Bench, MINUTE, onBench, REGIONS_3, SECOND, share } from "../../test/support/coordinator/bench.ts";

const A = "203.0.113.10";
const B = "203.0.113.20";
const C = "203.0.113.30";
const D = "203.0.113.40";

async function withTwoRecords(story: (bench: Bench) => Promise<void>): Promise<void> {
  await onBench(async (bench) => {
    const other = [{ dnsName: "www.example.com", recordType: "A", targets: [C, D] }];
    const spec = { rootHost: "www.example.com", endpoints: other };
    bench.put("east", 1, [share([A, B]), share([], { name: "www", spec })]);
    await bench.run(3 * MINUTE, REGIONS_3);
    // The first time after all regions are awaited no more.
    await lose(bench, A);
    await lose(bench);
    await story(bench);
  });
}

async function lose(bench: Bench, ...leaves: string[]): Promise<void> {
  bench.probers.outcome = (leaf) => (leaves.includes(leaf) ? "ConnectTimeout" : "Ok");
  await bench.run(MINUTE, REGIONS_3);
}

const told = (bench: Bench, rootHost: string) =>
  bench.delivered.get("east")?.records.find((record) => record.rootHost === rootHost);

describe("what a cluster is told", () => {
  it("of a record of which only times have changed is what it was told last: its object has nothing to write", async () => {
    await withTwoRecords(async (bench) => {
      const before = [told(bench, "api.example.com"), told(bench, "www.example.com")];
      await lose(bench, A);
      expect(told(bench, "www.example.com")).toEqual(before[1]);
      expect(told(bench, "api.example.com")).not.toEqual(before[0]);
      expect(told(bench, "api.example.com")?.leaves).toMatchObject([{ leaf: A, published: false }, { leaf: B }]);
    });
  });

  it("is no bound to what is shown: who looks sees when each region checked last", async () => {
    await withTwoRecords(async (bench) => {
      const checkedAt = () =>
        bench.coordination
          .viewRecords("east")
          .flatMap(({ probes }) => probes.flatMap(({ regions }) => regions.map((region) => region.checkedAt ?? 0)));
      const before = checkedAt();
      await bench.run(10 * MINUTE, REGIONS_3);
      expect(Math.min(...checkedAt())).toBeGreaterThan(Math.max(...before) + 9 * MINUTE);
    });
  });

  it("of a count below its threshold is new, with whatever is told next", async () => {
    await withTwoRecords(async (bench) => {
      bench.probers.outcome = (leaf) => ([A, C].includes(leaf) ? "ConnectTimeout" : "Ok");
      bench.now += 10 * SECOND;
      bench.round("weur");
      await lose(bench, A);
      const failures = told(bench, "www.example.com")?.probes[0]?.regions.map(({ counts }) => counts.failures);
      expect(failures).toEqual([0, 0, 0]);
      bench.probers.outcome = (leaf) => (leaf === C ? "ConnectTimeout" : "Ok");
      bench.now += 10 * SECOND;
      bench.round("weur");
      bench.probers.outcome = () => "Ok";
      bench.round("apac", "enam");
      bench.now += 10 * SECOND;
      bench.round("apac", "enam");
      await bench.settle();
      const newest = told(bench, "www.example.com")?.probes[0]?.regions ?? [];
      expect(newest.find(({ region }) => region === "weur")?.counts.failures).toBe(1);
    });
  });

  it("comes again only after a rest where it took long, and at once where it did not", async () => {
    await withTwoRecords(async (bench) => {
      let rests = 0;
      bench.onRest = async () => {
        rests += 1;
      };
      await lose(bench, A);
      expect(rests).toBe(0);
      let isFirst = true;
      bench.onDecided = () => {
        bench.now += 200;
        if (!isFirst) return;
        isFirst = false;
        bench.put("east", 2, [share([A, B])]);
      };
      bench.probers.outcome = () => "Ok";
      bench.now += 10 * SECOND;
      bench.round(...REGIONS_3);
      bench.now += 10 * SECOND;
      bench.round(...REGIONS_3);
      await bench.settle();
      expect(rests).toBeGreaterThan(0);
    });
  });
});
