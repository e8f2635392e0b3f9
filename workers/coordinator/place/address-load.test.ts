import { describe, expect, it } from "vitest";
import type { ShareInput } from "../../../shared/model/messages/shares.ts";
import type { Region } from "../../../shared/model/region.ts";
import {
  Bench,
  type HealthCheckInput,
  MINUTE,
  onBench,
  REGIONS_3,
  share,
} from "../../../test/support/coordinator/bench.ts";
import { random } from "../../../test/support/random.ts";
import { busiestRate, regularRate } from "./address-rate.ts";

const GATEWAY = "203.0.113.10";
const OTHER = "203.0.113.20";
const LIMIT = 1;
const RULES = { maxRequestsPerAddress: LIMIT };

/** A record of one host behind the gateway; three regions each 10 s are 0.3 requests a second. */
function host(index: number, check: Partial<HealthCheckInput> = {}, targets: string[] = [GATEWAY]): ShareInput {
  const rootHost = `r${index}.example.com`;
  return share([], { name: `r${index}`, check, spec: { rootHost, endpoints: [endpoint(rootHost, targets)] } });
}
const endpoint = (dnsName: string, targets: string[]) => ({ dnsName, recordType: "A", targets });
const hosts = (...indices: number[]) => indices.map((index) => host(index));

/** The records whose probes are assigned. */
const probed = (bench: Bench) => [...new Set(bench.probers.ids().map((id) => id.split("/")[2]))];
const conditionOf = (bench: Bench, index: number) =>
  bench.coordination
    .readRecord(`r${index}.example.com`)
    ?.shares[0]?.conditions.find(({ type }) => type === "NotProbeable");

describe("records that name one address", () => {
  it("beyond what it may be asked are published unprobed, and say so; older ones keep their places", async () => {
    await onBench(async (bench) => {
      bench.put("east", 1, hosts(1, 2, 3));
      bench.put("west", 1, [host(4, {}, [GATEWAY, OTHER])]);
      await bench.run(MINUTE, REGIONS_3);
      expect(bench.probers.ids().filter((id) => id.endsWith(GATEWAY))).toHaveLength(9);
      expect(bench.probers.ids().filter((id) => id.endsWith(OTHER))).toHaveLength(3);
      expect(conditionOf(bench, 1)).toBeUndefined();
      expect(conditionOf(bench, 4)).toEqual({
        type: "NotProbeable",
        status: "True",
        reason: "TooManyRequestsToAddress",
        message:
          "published unprobed: 203.0.113.10 would be asked more than 1 times a second: 0.9 times by older records, and 0.3 times by this one (regions / interval); lengthen healthCheck.interval, name fewer regions, or have MAX_REQUESTS_PER_ADDRESS raised",
      });
      expect(bench.published("r4.example.com")).toEqual([GATEWAY, OTHER]);
      // The cluster's first contact has it too.
      expect(bench.delivered.get("west")?.records[0]?.shares[0]?.conditions.map(({ type }) => type)).toEqual([
        "Accepted",
        "NotProbeable",
      ]);
    }, RULES);
  });

  it("come in when others go, or are asked less often; after a restart all is as it was", async () => {
    await onBench(async (bench) => {
      bench.put("east", 1, hosts(1, 2, 3));
      bench.put("west", 1, hosts(4, 5));
      await bench.settle();
      expect(probed(bench)).toEqual(["r1", "r2", "r3"]);
      bench.restart();
      bench.put("east", 2, hosts(1, 3));
      await bench.settle();
      expect(probed(bench)).toEqual(["r1", "r3", "r4"]);
      expect(conditionOf(bench, 4)).toBeUndefined();
      expect(bench.delivered.get("west")?.records[0]?.shares[0]?.conditions.map(({ type }) => type)).toEqual([
        "Accepted",
      ]);
      bench.put("east", 3, [host(1, { interval: "30s" }), host(3)]);
      await bench.settle();
      expect(probed(bench)).toEqual(["r1", "r3", "r4", "r5"]);
      const before = bench.probers.assigned.length;
      bench.restart();
      bench.coordination.heartbeat();
      await bench.settle();
      expect(bench.probers.assigned).toHaveLength(before);
      bench.coordination.removeCluster("east", Number.MAX_SAFE_INTEGER);
      await bench.settle();
      expect(probed(bench)).toEqual(["r4", "r5"]);
    }, RULES);
  });

  it("confirm in longer intervals the more they are, in steps: a record that is added assigns but its own shard", async () => {
    const confirmsOf = (bench: Bench) => [
      ...new Set(
        [...bench.probers.probers.values()].flatMap(({ assignment }) =>
          assignment.probes.map(({ confirmIntervalMs }) => confirmIntervalMs),
        ),
      ),
    ];
    await onBench(
      async (bench) => {
        const all = Array.from({ length: 20 }, (_, index) => host(index));
        for (const [count, confirmMs] of [
          [12, 1_000],
          [13, 2_000],
          [14, undefined],
        ] as const) {
          bench.put("east", count, all.slice(0, count));
          await bench.settle();
          expect(confirmsOf(bench)).toEqual([confirmMs]);
        }
        bench.probers.assigned.length = 0;
        bench.put("east", 15, [...all.slice(0, 14), host(99, { interval: "20s" })]);
        await bench.settle();
        expect(bench.probers.assigned.map(({ probes }) => probes.length)).toEqual([1, 1, 1]);
        bench.put("east", 16, all.slice(0, 3));
        await bench.settle();
        expect(confirmsOf(bench)).toEqual([1_000]);
      },
      { maxRequestsPerAddress: 40 },
    );
  });

  it("move from one record to another with their share", async () => {
    await onBench(async (bench) => {
      bench.put("east", 1, hosts(1, 2, 3));
      const moved = { ...host(1), name: "r3" };
      bench.put("east", 2, [host(2), moved]);
      bench.put("west", 1, hosts(4, 5));
      await bench.settle();
      expect(probed(bench)).toEqual(["r2", "r3", "r4"]);
      bench.put("east", 3, hosts(2));
      await bench.settle();
      expect(probed(bench)).toEqual(["r2", "r4", "r5"]);
    }, RULES);
  });
});

describe("settings that are others after a restart", () => {
  it("assign all shards again, once, and what is no more to be probed not any more", async () => {
    await onBench(async (bench, storage) => {
      bench.put("east", 1, hosts(1, 2, 3));
      await bench.settle();
      const lowered = new Bench(storage, { maxRequestsPerAddress: 0.7 });
      lowered.coordination.heartbeat();
      lowered.coordination.heartbeat();
      await lowered.settle();
      expect(probed(lowered)).toEqual(["r1", "r2"]);
      expect(lowered.probers.assigned).toHaveLength(3);
      const closed = new Bench(storage, { allowedPorts: [{ from: 443, to: 443 }] });
      closed.coordination.heartbeat();
      await closed.settle();
      expect(closed.probers.ids()).toEqual([]);
      expect(conditionOf(closed, 1)).toMatchObject({
        reason: "PortNotAllowed",
        message: "published unprobed: spec.healthCheck.port: 80 must be one of 443, which are the edge's ALLOWED_PORTS",
      });
    }, RULES);
  });
});

describe("whatever records come and go, in two clusters, with restarts between", () => {
  const INTERVALS = ["1s", "5s", "10s", "30s"] as const;

  /** What the probers hold asks each leaf at most, in turns and at the busiest. */
  function loadsOf(bench: Bench) {
    const loads = new Map<string, { regular: number; busiest: number }>();
    for (const { assignment } of bench.probers.probers.values()) {
      const { intervalMs } = assignment.shard;
      for (const { id, target, confirmIntervalMs = intervalMs } of assignment.probes) {
        const load = loads.get(target.leaf) ?? { regular: 0, busiest: 0 };
        const asking = { id, regions: 1, intervalMs, confirmIntervalMs };
        load.regular += regularRate(asking);
        load.busiest += busiestRate(asking, 1);
        loads.set(target.leaf, load);
      }
    }
    return loads;
  }

  /** One cluster puts a record, puts it otherwise, or takes it away. */
  function edit(held: Map<number, ShareInput>, first: number, next: () => number): ShareInput[] {
    const any = <Item>(list: readonly [Item, ...Item[]]) => list[Math.floor(next() * list.length)] ?? list[0];
    const index = first + Math.floor(next() * 12);
    if (held.delete(index) && next() < 0.5) return [...held.values()];
    const regions = [...any<readonly Region[]>([REGIONS_3, ["sam"]])];
    const check = { interval: any(INTERVALS), timeout: "1s", confirmInterval: "1s", regions };
    held.set(index, host(index, check, any([[GATEWAY], [OTHER], [GATEWAY, OTHER]])));
    return [...held.values()];
  }

  const refusedIn = (bench: Bench) =>
    bench.coordination
      .listRecords()
      .flatMap(({ shares }) => shares.flatMap(({ conditions }) => conditions))
      .filter(({ reason }) => reason === "TooManyRequestsToAddress");

  /** How many probes were refused on the way. */
  async function play(bench: Bench, next: () => number): Promise<number> {
    const clusters = [
      { name: "east", first: 0, held: new Map() },
      { name: "west", first: 100, held: new Map() },
    ];
    let refused = 0;
    for (let step = 1; step <= 12; step += 1) {
      const cluster = clusters[next() < 0.5 ? 0 : 1];
      if (cluster !== undefined) bench.put(cluster.name, step, edit(cluster.held, cluster.first, next));
      if (next() < 0.2) bench.restart();
      bench.coordination.heartbeat();
      await bench.settle();
      for (const { regular, busiest } of loadsOf(bench).values()) {
        expect(regular).toBeLessThan(3.001);
        expect(busiest).toBeLessThan(3.001);
      }
      refused += refusedIn(bench).length;
    }
    return refused;
  }

  it("no address is ever asked more than it may be, 15 seeds", async () => {
    await onBench(async (_, storage) => {
      let refused = 0;
      for (let seed = 0; seed < 15; seed += 1) {
        await storage.deleteAll();
        refused += await play(new Bench(storage, { maxRequestsPerAddress: 3 }), random(seed));
      }
      expect(refused).toBeGreaterThan(50);
    });
  });
});
