import { describe, expect, it } from "vitest";
import { Bench, MINUTE, onBench, REGIONS_3, SECOND, share } from "../../../test/support/coordinator/bench.ts";
import { random, shuffled } from "../../../test/support/random.ts";

const A = "203.0.113.10";
const B = "203.0.113.20";
const C = "203.0.113.30";
const idOf = (leaf: string, cluster = "east", record = "shop/api") => `${cluster}/${record}/${leaf}`;

describe("shares", () => {
  it("drops the older ones, and repeats change nothing", async () => {
    await onBench(async (bench) => {
      bench.put("east", 5, [share([A, B])]);
      await bench.settle();
      const rows = bench.rowsWritten();
      bench.put("east", 4, [share([A])]);
      bench.put("east", 5, [share([A])]);
      expect(bench.put("east", 5, []).number.n).toBe(5);
      expect(bench.probers.ids()).toHaveLength(6);
      expect(bench.rowsWritten()).toBe(rows);
    });
  });

  it("leaves unchanged probes untouched: not assigned again, not recounted", async () => {
    await onBench(async (bench) => {
      const records = Array.from({ length: 50 }, (_, index) => record(index));
      bench.put("east", 1, records);
      await bench.run(MINUTE, REGIONS_3);
      const before = bench.coordination.listRecords();
      bench.probers.assigned.length = 0;
      bench.put("east", 2, [...records, record(50)]);
      await bench.settle();
      const given = bench.probers.assigned.filter(({ probes }) => !probes.some(({ id }) => id.includes("/r50/")));
      expect(given).toEqual([]);
      expect(bench.coordination.listRecords().filter(({ rootHost }) => rootHost !== "r50.example.com")).toEqual(before);
    });
  });

  it("keeps the last accepted form of one that is refused, and says why", async () => {
    await onBench(async (bench) => {
      bench.put("east", 1, [share([A, B])]);
      await bench.run(MINUTE, REGIONS_3);
      const broken = share([A], { check: { interval: "0s" } });
      const receipt = bench.put("east", 2, [broken, share([C], { name: "other", check: { timeout: "9h" } })]);
      expect(receipt.records).toEqual([
        {
          record: "shop/api",
          conditions: [
            {
              type: "Accepted",
              status: "False",
              reason: "Invalid",
              message: 'spec.healthCheck.interval: "0s" must be from 1s to 1h',
            },
          ],
        },
        { record: "shop/other", conditions: [expect.objectContaining({ status: "False", reason: "Invalid" })] },
      ]);
      expect(bench.published()).toEqual([A, B]);
      bench.restart();
      expect(bench.coordination.readRecord("api.example.com")?.shares[0]?.conditions[0]?.status).toBe("False");
      bench.put("east", 3, [share([A, B])]);
      expect(bench.coordination.readRecord("api.example.com")?.shares[0]?.conditions[0]?.status).toBe("True");
    });
  });

  it("refuses a graph that is none, by name", async () => {
    await onBench((bench) => {
      const loop = [
        { dnsName: "api.example.com", recordType: "CNAME", targets: ["b.api.example.com"] },
        { dnsName: "b.api.example.com", recordType: "CNAME", targets: ["api.example.com"] },
      ];
      const receipt = bench.put("east", 1, [share([A], { spec: { endpoints: loop } })]);
      expect(receipt.records[0]?.conditions[0]?.message).toMatch(
        /^spec\.endpoints\[1\]\.targets: must not close a cycle/,
      );
    });
  });

  it("publishes everything again and asks nothing when the health check goes", async () => {
    await onBench(async (bench) => {
      bench.put("east", 1, [share([A, B])]);
      await bench.run(MINUTE, REGIONS_3);
      bench.probers.outcome = (leaf) => (leaf === A ? "ConnectFailed" : "Ok");
      await bench.run(MINUTE, REGIONS_3);
      expect(bench.published()).toEqual([B]);
      bench.put("east", 2, [share([A, B], { check: null })]);
      await bench.settle();
      expect(bench.published()).toEqual([A, B]);
      expect(bench.probers.ids()).toEqual([]);
      expect(bench.coordination.readProbe(idOf(A))).toBeUndefined();
    });
  });

  it("counts anew for an object that was deleted and made again under its name", async () => {
    await onBench(async (bench) => {
      bench.put("east", 1, [share([A, B], { uid: "one" })]);
      await bench.run(MINUTE, REGIONS_3);
      const late = bench.probers.round(["apac"]);
      bench.put("east", 2, [share([A, B], { uid: "two" })]);
      for (const report of late) bench.send(report);
      await bench.settle();
      expect(bench.verdict(idOf(A))).toBe("Pending");
      expect(bench.coordination.readProbe(idOf(A))?.regions.map(({ counts }) => counts.successes)).toEqual([0, 0, 0]);
      expect(bench.published()).toEqual([A, B]);
      await bench.run(20 * SECOND, REGIONS_3);
      expect(bench.verdict(idOf(A))).toBe("Healthy");
    });
  });

  it("lets probes rest while the configuration is wrong: nothing is asked, and the verdict stays", async () => {
    await onBench(async (bench) => {
      bench.put("east", 1, [share([A, B])]);
      await bench.run(MINUTE, REGIONS_3);
      bench.probers.outcome = (leaf) => (leaf === A ? "ConnectFailed" : "Ok");
      await bench.run(MINUTE, REGIONS_3);
      const resting = { type: "HeadersReady", status: "False", reason: "MissingSecret", message: "no secret" } as const;
      bench.put("east", 2, [share([A, B], { resting })]);
      await bench.run(30 * MINUTE, REGIONS_3, 30 * SECOND);
      expect(bench.probers.ids()).toEqual([]);
      expect(bench.verdict(idOf(A))).toBe("Unhealthy");
      expect(bench.coordination.readProbe(idOf(A))?.resting).toEqual(resting);
      expect(bench.published()).toEqual([B]);
      bench.put("east", 3, [share([A, B])]);
      await bench.settle();
      expect(bench.verdict(idOf(A))).toBe("Unhealthy");
      await bench.run(30 * SECOND, REGIONS_3);
      expect(bench.verdict(idOf(A))).toBe("Unhealthy");
    });
  });

  it("judges a resting probe that was never proven as silent", async () => {
    await onBench((bench) => {
      const resting = { type: "HeadersReady", status: "False", reason: "MissingSecret", message: "no secret" } as const;
      bench.put("east", 1, [share([A, B], { resting })]);
      expect(bench.verdict(idOf(A))).toBe("Unknown");
      expect(bench.published()).toEqual([A, B]);
    });
  });

  it("probes no wildcard without a host, and an address that cannot be dialled never: both are published", async () => {
    await onBench(
      async (bench) => {
        const wild = { rootHost: "*.example.com", endpoints: [endpoint("*.example.com", ["9.9.9.9"])] };
        const local = {
          rootHost: "lan.example.com",
          endpoints: [endpoint("lan.example.com", ["10.1.2.3", "8.8.4.4"])],
        };
        bench.put("east", 1, [share([A], { name: "wild", spec: wild }), share([A], { name: "lan", spec: local })]);
        await bench.settle();
        expect(new Set(bench.probers.ids())).toEqual(new Set([idOf("8.8.4.4", "east", "shop/lan")]));
        const conditionsOf = (host: string) => bench.coordination.readRecord(host)?.shares[0]?.conditions;
        expect(conditionsOf("*.example.com")).toContainEqual(
          expect.objectContaining({ type: "NotChecked", reason: "WildcardHost" }),
        );
        expect(conditionsOf("lan.example.com")).toContainEqual(
          expect.objectContaining({ type: "NotProbeable", message: expect.stringContaining("10.1.2.3") }),
        );
        expect(bench.published("*.example.com")).toEqual(["9.9.9.9"]);
        expect(bench.published("lan.example.com")).toEqual(["10.1.2.3"]);
        bench.put("east", 2, [share([A], { name: "wild", spec: wild, check: { host: "shop.example.com" } })]);
        await bench.settle();
        const asked = [...bench.probers.probers.values()].flatMap(({ assignment }) => assignment.probes);
        expect(new Set(asked.map(({ target }) => target.host))).toEqual(new Set(["shop.example.com"]));
      },
      { allowPrivate: false },
    );
  });
});

describe("two clusters on one root host", () => {
  it("are judged as one record: the last endpoint is the last of both", async () => {
    await onBench(async (bench) => {
      bench.coordination.registerCluster("east");
      bench.coordination.registerCluster("west");
      bench.put("east", 1, [share([A])]);
      bench.put("west", 1, [share([B])]);
      await bench.run(MINUTE, REGIONS_3);
      expect(bench.published()).toEqual([A, B]);
      bench.probers.outcome = (leaf) => (leaf === A ? "ConnectFailed" : "Ok");
      await bench.run(MINUTE, REGIONS_3);
      for (const cluster of ["east", "west"]) {
        expect(bench.delivered.get(cluster)?.records[0]?.endpoints[0]?.targets).toEqual([B]);
      }
      bench.probers.outcome = () => "ConnectFailed";
      await bench.run(MINUTE, REGIONS_3);
      expect(bench.published()).toEqual([B]);
    });
  });

  it("are never left with nothing, however their failures fall together, 100 seeds", async () => {
    await onBench(async (_, storage) => {
      for (let seed = 0; seed < 100; seed += 1) {
        await storage.deleteAll();
        const bench = new Bench(storage);
        const next = random(seed);
        bench.put("east", 1, [share([A])]);
        bench.put("west", 1, [share([B])]);
        await bench.run(40 * SECOND, REGIONS_3);
        await fallTogether(bench, next);
        for (const cluster of ["east", "west"]) {
          const sizes = bench.deliveries
            .filter((delivery) => delivery.cluster === cluster)
            .map(({ records }) => records[0]?.endpoints.length ?? 0);
          expect(sizes.slice(sizes.indexOf(1)), `seed ${seed}`).not.toContain(0);
        }
        expect(bench.published().length, `seed ${seed}`).toBeGreaterThan(0);
      }
    });
  });

  it("keep a leaf that both name as long as one of them finds it healthy", async () => {
    await onBench(async (bench) => {
      bench.put("east", 1, [share([A, B])]);
      bench.put("west", 1, [share([A], { check: { path: "/broken" } })]);
      await bench.run(MINUTE, REGIONS_3);
      expect(bench.coordination.readRecord("api.example.com")?.probes.map(({ id }) => id)).toEqual([
        idOf(A),
        idOf(B),
        idOf(A, "west"),
      ]);
      bench.probers.outcome = (_, __, { target }) => (target.path === "/broken" ? "UnexpectedStatus" : "Ok");
      await bench.run(MINUTE, REGIONS_3);
      expect([bench.verdict(idOf(A)), bench.verdict(idOf(A, "west"))]).toEqual(["Healthy", "Unhealthy"]);
      expect(bench.published()).toEqual([A, B]);
      bench.probers.outcome = (leaf) => (leaf === A ? "UnexpectedStatus" : "Ok");
      await bench.run(MINUTE, REGIONS_3);
      expect(bench.published()).toEqual([B]);
    });
  });

  it("part: the leaves of the one that is removed go, and of the other none", async () => {
    await onBench(async (bench) => {
      const epoch = bench.now;
      bench.put("east", 1, [share([A])]);
      bench.put("west", 1, [share([B])]);
      await bench.run(MINUTE, REGIONS_3);
      bench.coordination.removeCluster("east", epoch);
      await bench.settle();
      expect(bench.published()).toEqual([B]);
      expect(bench.delivered.get("west")?.records[0]?.endpoints[0]?.targets).toEqual([B]);
      expect(bench.coordination.listClusters()).toEqual(["west"]);
      bench.put("east", 2, [share([A])]);
      expect(bench.published()).toEqual([B]);
      bench.restart();
      expect(bench.coordination.listClusters()).toEqual(["west"]);
      bench.put("east", 1, [share([A])], bench.now + 1);
      expect(bench.coordination.listClusters()).toEqual(["east", "west"]);
      // A repetition of the removal that was long on its way: the cluster of now is another.
      bench.coordination.removeCluster("east", epoch);
      expect(bench.coordination.listClusters()).toEqual(["east", "west"]);
      expect(bench.published()).toEqual([B]);
      bench.coordination.registerCluster("north");
      bench.coordination.removeCluster("north", epoch);
      bench.put("north", 1, [share([C])], epoch + 1);
      expect(bench.coordination.listClusters()).toContain("north");
    });
  });

  it("that disagree: the older share holds, and the other is told", async () => {
    await onBench(async (bench) => {
      const alias = (target: string) => [{ dnsName: "api.example.com", recordType: "CNAME", targets: [target] }];
      bench.put("west", 1, [share([], { spec: { endpoints: alias("a.example.net") } })]);
      bench.put("east", 1, [share([], { spec: { endpoints: alias("b.example.net") } })]);
      const record = bench.coordination.readRecord("api.example.com");
      const conflicted = record?.shares.filter(({ conditions }) => conditions.some(({ type }) => type === "Conflict"));
      expect(conflicted?.map(({ cluster }) => cluster)).toEqual(["east"]);
      expect(record?.probes.map(({ leaf }) => leaf)).toEqual(["a.example.net"]);
      bench.put("east", 2, [share([], { generation: 2, spec: { endpoints: alias("b.example.net") } })]);
      expect(bench.coordination.listEvents(0).filter(({ type }) => type === "RecordConflict")).toHaveLength(1);
    });
  });
});

it("moves a share from one root host to another without a trace", async () => {
  await onBench(async (bench) => {
    const under = (rootHost: string) => ({ rootHost, endpoints: [endpoint(rootHost, [A])] });
    bench.put("east", 1, [
      share([], { name: "one", spec: under("one.example.com") }),
      share([], { name: "two", spec: under("two.example.com") }),
    ]);
    await bench.run(MINUTE, REGIONS_3);
    bench.put("east", 2, [
      share([], { name: "one", spec: under("two.example.com") }),
      share([], { name: "two", spec: under("one.example.com") }),
    ]);
    await bench.settle();
    const swapped = bench.coordination.listRecords();
    expect(swapped.map(({ rootHost, probes }) => [rootHost, probes.map(({ id }) => id)])).toEqual([
      ["one.example.com", [idOf(A, "east", "shop/two")]],
      ["two.example.com", [idOf(A, "east", "shop/one")]],
    ]);
    bench.restart();
    expect(bench.coordination.listRecords().map(({ probes }) => probes.length)).toEqual([1, 1]);
    expect(bench.coordination.readProbe(idOf(A, "east", "shop/one"))).toBeDefined();
  });
});

/** Six rounds in which four checks of five fail; what follows from each report is sent at once, or with that of the next. */
async function fallTogether(bench: Bench, next: () => number): Promise<void> {
  for (let round = 0; round < 6; round += 1) {
    bench.now += 10 * SECOND;
    bench.probers.outcome = () => (next() < 0.8 ? "ConnectFailed" : "Ok");
    for (const report of shuffled(bench.probers.round(REGIONS_3), next)) {
      bench.send(report);
      if (next() < 0.5) await bench.settle();
    }
  }
  await bench.settle();
}

const endpoint = (dnsName: string, targets: string[]) => ({ dnsName, recordType: "A", targets });

function record(index: number) {
  const rootHost = `r${index}.example.com`;
  return share([], { name: `r${index}`, spec: { rootHost, endpoints: [endpoint(rootHost, [A])] } });
}
