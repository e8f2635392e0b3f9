import { describe, expect, it } from "vitest";
import { EDGE_STALE_AFTER, MINUTE, onBench, REGIONS_3, SECOND, share } from "../../test/support/coordinator/bench.ts";

const A = "203.0.113.10";
const B = "203.0.113.20";
const DAY = 24 * 60 * MINUTE;

describe("decisions", () => {
  it("get another number when something that matters changes, and not for latencies", async () => {
    await onBench(async (bench) => {
      bench.put("east", 1, [share([A, B])]);
      await bench.run(MINUTE, REGIONS_3);
      const { number } = bench.delivered.get("east") ?? {};
      bench.deliveries.length = 0;
      await bench.run(10 * MINUTE, REGIONS_3);
      expect(bench.deliveries).toEqual([]);
      bench.probers.outcome = (leaf, region) => (leaf === A && region === "apac" ? "ConnectFailed" : "Ok");
      await bench.run(MINUTE, REGIONS_3);
      expect(bench.deliveries.map(({ records }) => records[0]?.probes[0]?.advisories[0]?.type)).toEqual(["Dissent"]);
      expect(bench.delivered.get("east")?.number).toEqual({ ...number, n: (number?.n ?? 0) + 1 });
    });
  });

  it("concern only the clusters that have a share in the record", async () => {
    await onBench(async (bench) => {
      bench.put("east", 1, [share([A, B])]);
      const other = {
        rootHost: "b.example.com",
        endpoints: [{ dnsName: "b.example.com", recordType: "A", targets: [A] }],
      };
      bench.put("west", 1, [share([], { spec: other })]);
      await bench.run(MINUTE, REGIONS_3);
      bench.deliveries.length = 0;
      bench.probers.outcome = (leaf) => (leaf === B ? "ConnectFailed" : "Ok");
      await bench.run(MINUTE, REGIONS_3);
      expect(new Set(bench.deliveries.map(({ cluster }) => cluster))).toEqual(new Set(["east"]));
    });
  });

  it("come by contact where they were lost, and shares are asked for where those were", async () => {
    await onBench(async (bench) => {
      bench.put("east", 3, [share([A, B])]);
      await bench.run(MINUTE, REGIONS_3);
      const number = bench.delivered.get("east")?.number ?? { epoch: 0, n: 0 };
      const { epoch } = number;
      const contact = (sharesN: number, n: number) =>
        bench.coordination.contact({
          cluster: "east",
          sharesNumber: { epoch, n: sharesN },
          decisionsNumber: { epoch, n },
        });
      expect(contact(3, number.n)).toEqual({ sharesWanted: false });
      expect(contact(3, 0).decisions?.number).toEqual(number);
      expect(contact(4, number.n)).toEqual({ sharesWanted: true });
    });
  });

  it("reach the others while one cluster hangs, and that one with the newest when it is back", async () => {
    await onBench(async (bench) => {
      bench.put("east", 1, [share([A, B])]);
      bench.put("west", 1, [share([A, B])]);
      await bench.run(MINUTE, REGIONS_3);
      let isDown = true;
      bench.onDecided = (cluster) => {
        if (cluster === "west" && isDown) throw new Error("reset");
      };
      bench.deliveries.length = 0;
      for (const failing of [A, B, A]) {
        bench.probers.outcome = (leaf) => (leaf === failing ? "ConnectFailed" : "Ok");
        await bench.run(MINUTE, REGIONS_3);
      }
      expect(new Set(bench.deliveries.map(({ cluster }) => cluster))).toEqual(new Set(["east"]));
      isDown = false;
      bench.deliveries.length = 0;
      bench.coordination.heartbeat();
      await bench.settle();
      expect(bench.deliveries.map(({ cluster, records }) => [cluster, records[0]?.endpoints[0]?.targets])).toEqual([
        ["west", [B]],
      ]);
    });
  });

  it("show no header and no secret anywhere", async () => {
    await onBench(async (bench) => {
      const sealed = { keyId: "1", iv: "aXYxMjM0NTY3ODkw", ciphertext: "UzNDUjNULWNpcGhlcg==" };
      const check = { additionalHeadersRef: { name: "probe-headers" }, allowHeadersInCleartext: true };
      bench.put("east", 1, [share([A, B], { check, headers: { sealed, digest: "d1gest" } })]);
      await bench.run(2 * MINUTE, ["enam"]);
      const { coordination } = bench;
      const shown = JSON.stringify([
        coordination.listRecords(),
        coordination.viewRecords("east"),
        coordination.readRecord("api.example.com"),
        coordination.readProbe(`east/shop/api/${A}`),
        coordination.listRegions(),
        coordination.listEvents(0),
        bench.deliveries,
      ]);
      for (const secret of [sealed.ciphertext, sealed.iv, "d1gest", "probe-headers"])
        expect(shown).not.toContain(secret);
      expect(JSON.stringify(bench.probers.assigned)).toContain(sealed.ciphertext);
    });
  });

  it("of headers sealed again are the same, and of others are others", async () => {
    await onBench(async (bench) => {
      const headers = (digest: string, iv: string, keyId = "1") => ({
        sealed: { keyId, iv, ciphertext: "Y2lwaGVy" },
        digest,
      });
      bench.put("east", 1, [share([A], { headers: headers("one", "aXYx") })]);
      await bench.run(MINUTE, REGIONS_3);
      bench.probers.assigned.length = 0;
      bench.put("east", 2, [share([A], { headers: headers("one", "aXYy") })]);
      await bench.settle();
      expect(bench.probers.assigned).toEqual([]);
      bench.put("east", 3, [share([A], { headers: headers("one", "aXYz", "2") })]);
      await bench.settle();
      expect(bench.probers.assigned).toHaveLength(3);
      expect(bench.verdict(`east/shop/api/${A}`)).toBe("Healthy");
      bench.put("east", 4, [share([A], { headers: headers("two", "aXYw", "2") })]);
      expect(bench.verdict(`east/shop/api/${A}`)).toBe("Pending");
    });
  });
});

describe("an edge that lost its memory", () => {
  it("withdraws nothing: what is published comes with the shares, and nothing is handed out for a while", async () => {
    await onBench(async (bench) => {
      const epoch = bench.now - DAY;
      bench.put("east", 41, [share([A], { published: [A, B] })], epoch);
      await bench.settle();
      expect(bench.delivered.size).toBe(0);
      bench.put("west", 17, [share([B], { published: [A, B] })], epoch);
      await bench.run(MINUTE, REGIONS_3);
      expect(bench.published()).toEqual([A, B]);
      expect(bench.delivered.size).toBe(0);
      await bench.run(EDGE_STALE_AFTER, REGIONS_3);
      expect(bench.delivered.get("east")?.records[0]?.endpoints[0]?.targets).toEqual([A, B]);
      expect(bench.delivered.get("west")?.records[0]?.endpoints[0]?.targets).toEqual([A, B]);
    });
  });

  it("asks for the shares of a cluster that it hears of", async () => {
    await onBench((bench) => {
      const epoch = bench.now - DAY;
      const word = { cluster: "east", sharesNumber: { epoch, n: 8 }, decisionsNumber: { epoch, n: 9 } };
      expect(bench.coordination.contact(word)).toEqual({ sharesWanted: true });
      expect(bench.coordination.listClusters()).toEqual(["east"]);
    });
  });

  it("waits for every cluster that is registered, as long as it is not too long", async () => {
    await onBench(async (bench) => {
      bench.coordination.registerCluster("east");
      bench.coordination.registerCluster("west");
      bench.put("east", 1, [share([A], { published: [A, B] })]);
      await bench.settle();
      expect(bench.delivered.size).toBe(0);
      bench.restart();
      bench.now += 10 * SECOND;
      bench.coordination.heartbeat();
      await bench.settle();
      expect(bench.delivered.size).toBe(0);
      bench.put("west", 1, [share([B], { published: [A, B] })]);
      await bench.settle();
      expect([...bench.delivered.keys()].sort()).toEqual(["east", "west"]);
      expect(bench.published()).toEqual([A, B]);
    });
  });

  it("that is simply new keeps nobody waiting, and a cluster that is registered later holds up nobody", async () => {
    await onBench(async (bench) => {
      bench.coordination.registerCluster("east");
      bench.coordination.registerCluster("west");
      expect(bench.put("east", 1, [share([A, B])]).decisions?.records).toHaveLength(1);
      bench.coordination.registerCluster("north");
      await bench.settle();
      bench.restart();
      await bench.run(MINUTE, REGIONS_3);
      expect(bench.delivered.get("east")?.records[0]?.endpoints[0]?.targets).toEqual([A, B]);
    });
  });

  it("lets probers of the time before go on until it knows what is wanted, and then sends strangers home", async () => {
    await onBench(async (bench) => {
      bench.put("east", 1, [share([A, B])]);
      await bench.run(MINUTE, REGIONS_3);
      await bench.loseStorage();
      bench.now += MINUTE;
      bench.round(...REGIONS_3);
      expect(bench.probers.ids()).toHaveLength(6);
      bench.put("east", 2, [share([A], { published: [A, B] })], bench.now - DAY);
      await bench.settle();
      bench.round(...REGIONS_3);
      expect(bench.coordination.readProbe(`east/shop/api/${A}`)?.regions.map(({ counts }) => counts.successes)).toEqual(
        [7, 7, 7],
      );
      expect(bench.verdict(`east/shop/api/${A}`)).toBe("Healthy");
    });
  });

  it("knows of a cluster, but not yet what it wants: probers of shards unknown here go on until the wait is over", async () => {
    await onBench(async (bench) => {
      bench.put("east", 1, [share([A, B])]);
      await bench.run(MINUTE, REGIONS_3);
      await bench.loseStorage();
      bench.now += MINUTE;
      bench.coordination.registerCluster("east");
      bench.round(...REGIONS_3);
      expect(bench.probers.ids()).toHaveLength(6);
      bench.now += EDGE_STALE_AFTER;
      bench.coordination.heartbeat();
      await bench.settle();
      bench.round(...REGIONS_3);
      expect(bench.probers.ids()).toEqual([]);
    });
  });
});
