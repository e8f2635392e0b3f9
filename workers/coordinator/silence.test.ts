import { describe, expect, it } from "vitest";
import { type Bench, MINUTE, onBench, REGIONS_3, SECOND, share } from "../../test/support/coordinator/bench.ts";

const A = "203.0.113.10";
const B = "203.0.113.20";
const ID = `east/shop/api/${A}`;
/** Default: 3 × interval + timeout, at least a minute. */
const STALE_AFTER = MINUTE;

async function withdrawn(bench: Bench, spec: object = {}): Promise<void> {
  bench.put("east", 1, [share([A, B], { spec })]);
  await bench.run(MINUTE, REGIONS_3);
  bench.probers.outcome = (leaf) => (leaf === A ? "ConnectFailed" : "Ok");
  await bench.run(MINUTE, REGIONS_3);
  expect(bench.published()).toEqual([B]);
}

async function heartbeats(bench: Bench, durationMs: number, before: () => void = () => {}): Promise<void> {
  for (const end = bench.now + durationMs; bench.now < end; ) {
    bench.now += MINUTE;
    before();
    bench.coordination.heartbeat();
    await bench.settle();
  }
}

const freshness = (bench: Bench) =>
  bench.coordination.readProbe(ID)?.regions.map((region) => `${region.region} ${region.freshness}`);

describe("silence", () => {
  it("republishes nothing before it is real, also after a restart", async () => {
    await onBench(async (bench) => {
      await withdrawn(bench);
      bench.now += 5 * SECOND;
      bench.restart();
      bench.coordination.heartbeat();
      bench.now += STALE_AFTER - SECOND;
      bench.coordination.heartbeat();
      expect(bench.verdict(ID)).toBe("Unhealthy");
      expect(bench.published()).toEqual([B]);
    });
  });

  it("counts as healthy once it is real, though the object sleeps between two calls of cron", async () => {
    await onBench(async (bench) => {
      await withdrawn(bench);
      await heartbeats(bench, 3 * MINUTE, () => bench.restart());
      expect(bench.verdict(ID)).toBe("Unknown");
      expect(bench.published()).toEqual([A, B]);
    });
  });

  it("is found and mended by the clusters' regular word where cron does not come", async () => {
    await onBench(async (bench) => {
      await withdrawn(bench);
      bench.probers.assigned.length = 0;
      for (let minute = 0; minute < 5; minute += 1) {
        bench.now += MINUTE;
        bench.restart();
        const held = bench.delivered.get("east")?.number ?? { epoch: 0, n: 0 };
        const word = { cluster: "east", sharesNumber: { epoch: 0, n: 1 }, decisionsNumber: held };
        bench.take(bench.coordination.contact(word).decisions);
        await bench.settle();
      }
      expect(bench.verdict(ID)).toBe("Unknown");
      expect(bench.delivered.get("east")?.records[0]?.endpoints[0]?.targets).toEqual([A, B]);
      expect(bench.probers.assigned.map(({ shard }) => shard.region)).toEqual(expect.arrayContaining([...REGIONS_3]));
    });
  });

  it("freezes where the record says so", async () => {
    await onBench(async (bench) => {
      await withdrawn(bench, { whenSilent: "Freeze" });
      await heartbeats(bench, 60 * MINUTE);
      expect(bench.verdict(ID)).toBe("Unhealthy");
      expect(bench.published()).toEqual([B]);
    });
  });

  it("of one region neither withdraws nor restores, and is told of once", async () => {
    await onBench(async (bench) => {
      bench.put("east", 1, [share([A, B])]);
      await bench.run(MINUTE, REGIONS_3);
      await bench.run(3 * MINUTE, ["enam", "weur"]);
      expect(freshness(bench)).toEqual(["apac Silent", "enam Fresh", "weur Fresh"]);
      expect(bench.verdict(ID)).toBe("Healthy");
      expect(bench.coordination.listRegions().map(({ region, silentShards }) => [region, silentShards])).toEqual([
        ["enam", 0],
        ["weur", 0],
        ["apac", 1],
      ]);
      await bench.run(MINUTE, REGIONS_3);
      const told = bench.coordination.listEvents(0).filter(({ type }) => type.startsWith("Region"));
      expect(told.map(({ type, region }) => [type, region])).toEqual([
        ["RegionSilent", "apac"],
        ["RegionReturned", "apac"],
      ]);
    });
  });

  it("that was real before a restart stays so after it; who may still be fresh is awaited", async () => {
    await onBench(async (bench) => {
      bench.put("east", 1, [share([A, B])]);
      await bench.run(MINUTE, REGIONS_3);
      await bench.run(3 * MINUTE, ["enam", "weur"]);
      bench.now += 100 * MINUTE;
      bench.restart();
      expect(freshness(bench)).toEqual(["apac Silent", "enam Awaited", "weur Awaited"]);
      bench.now += STALE_AFTER + SECOND;
      expect(freshness(bench)).toEqual(["apac Silent", "enam Silent", "weur Silent"]);
    });
  });

  it("is no fact while it was the coordinator itself that heard nothing", async () => {
    await onBench(async (bench) => {
      await withdrawn(bench);
      bench.now += 100 * MINUTE;
      bench.coordination.heartbeat();
      expect(freshness(bench)).toEqual(["apac Awaited", "enam Awaited", "weur Awaited"]);
      expect(bench.published()).toEqual([B]);
      bench.round(...REGIONS_3);
      expect(bench.verdict(ID)).toBe("Unhealthy");
    });
  });

  it("does not hide a quorum: reports that come far apart, the object asleep between them, still meet", async () => {
    await onBench(async (bench) => {
      const check = { interval: "2m", regions: [...REGIONS_3] };
      bench.put("east", 1, [share([A, B], { check })]);
      await bench.settle();
      const round = () => {
        for (const region of REGIONS_3) {
          bench.now += 40 * SECOND;
          bench.restart();
          bench.round(region);
        }
      };
      for (let count = 0; count < 20; count += 1) round();
      bench.probers.outcome = (leaf, region) => (leaf === A && region === "apac" ? "ConnectFailed" : "Ok");
      for (let count = 0; count < 20; count += 1) round();
      expect(bench.verdict(ID)).toBe("Healthy");
      bench.probers.outcome = (leaf, region) => (leaf === A && region !== "weur" ? "ConnectFailed" : "Ok");
      for (let count = 0; count < 3; count += 1) round();
      expect(bench.verdict(ID)).toBe("Unhealthy");
    });
  });

  it("is also that of a region which reports, but completes no check, wherever the object is restarted", async () => {
    await onBench(async (bench) => {
      bench.put("east", 1, [share([A, B])]);
      await bench.run(MINUTE, REGIONS_3);
      bench.probers.outcome = (_, region) => (region === "apac" ? "ResolverFailed" : "Ok");
      for (let count = 0; count < 12; count += 1) {
        await bench.run(10 * SECOND, REGIONS_3);
        bench.restart();
      }
      expect(freshness(bench)).toEqual(["apac Silent", "enam Fresh", "weur Fresh"]);
      expect(bench.coordination.listEvents(0).filter(({ type }) => type === "RegionSilent")).toEqual([]);
    });
  });

  it("is not made of a restart: the first region to report again does not decide for the others", async () => {
    await onBench(async (bench) => {
      const check = { interval: "2s", staleAfter: "10s" };
      bench.put("east", 1, [share([A, B], { check })]);
      await bench.run(3 * MINUTE, REGIONS_3, 2 * SECOND);
      bench.probers.outcome = (leaf, region) => (leaf === A && region !== "weur" ? "ConnectFailed" : "Ok");
      // Up to a moment before the next heartbeat: what is stored of last-seen times is older than staleAfter.
      await bench.run(MINUTE + 58 * SECOND, REGIONS_3, 2 * SECOND);
      expect(bench.verdict(ID)).toBe("Unhealthy");
      bench.restart();
      bench.now += SECOND;
      bench.round("weur");
      expect(bench.verdict(ID)).toBe("Unhealthy");
      expect(bench.published()).toEqual([B]);
    });
  });

  it.each([
    [10, "Silent"],
    [11, "Awaited"],
  ])(
    "is that of the coordinator itself after more than ten seconds without a call: after %i s, regions are %s",
    async (gapS, expected) => {
      await onBench(async (bench) => {
        await withdrawn(bench);
        const heardAt = bench.now;
        bench.now += gapS * SECOND;
        bench.coordination.heartbeat();
        while (bench.now <= heardAt + STALE_AFTER) {
          bench.now += 10 * SECOND;
          bench.coordination.heartbeat();
          await bench.settle();
        }
        expect(freshness(bench)).toEqual(["apac", "enam", "weur"].map((region) => `${region} ${expected}`));
      });
    },
  );

  it("is met with a nudge once two intervals, the timeout and five seconds of grace are over, and no sooner", async () => {
    await onBench(async (bench) => {
      bench.put("east", 1, [share([A, B])]);
      await bench.run(MINUTE, REGIONS_3);
      bench.probers.assigned.length = 0;
      const nudgedAfter = async (seconds: number) => {
        bench.now += seconds * SECOND;
        bench.round("enam", "weur");
        bench.coordination.heartbeat();
        await bench.settle();
        return bench.probers.assigned.map(({ shard }) => shard.region);
      };
      for (let n = 0; n < 3; n += 1) expect(await nudgedAfter(9)).toEqual([]);
      expect(await nudgedAfter(1)).toEqual(["apac"]);
    });
  });

  it("is met with a nudge after two missed rounds", async () => {
    await onBench(async (bench) => {
      bench.put("east", 1, [share([A, B])]);
      await bench.run(MINUTE, REGIONS_3);
      bench.probers.assigned.length = 0;
      await bench.run(2 * MINUTE, ["enam", "weur"]);
      const nudged = new Set(bench.probers.assigned.map(({ shard }) => shard.region));
      expect([...nudged]).toEqual(["apac"]);
      const rearmed = bench.coordination.listEvents(0).filter(({ type }) => type === "ShardRearmed");
      expect(rearmed.map(({ region }) => region)).toEqual(["apac"]);
    });
  });
});
