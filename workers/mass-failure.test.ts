import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Assignment } from "../shared/model/messages/assignment.ts";
import { MAX_SUSPECTS } from "../shared/model/messages/assignment.ts";
import type { Region } from "../shared/model/region.ts";
import { share } from "../test/support/coordinator/bench.ts";
import { freshProber, inProber } from "../test/support/prober.ts";
import type { CoordinatorObject } from "./coordinator/durable-object.ts";
import { type Env, proberName } from "./env.ts";
import type { ProbeRequest } from "./prober/probe/probe-request.ts";
import type { CoordinatorRpc } from "./rpc.ts";
import { readSettings } from "./settings.ts";

/** Far ahead, or the platform's own alarms would come. */
const T0 = Date.UTC(2100, 0, 1);
const INTERVAL_MS = 30_000;
const REGIONS: Region[] = ["apac", "enam", "weur"];
/** All of the failing endpoints, a thousand and some, are at these: each is asked by many probes. */
const ADDRESSES = Array.from({ length: 60 }, (_, n) => n + 1).map((n) => `203.0.113.${n}`);
const RECORDS = 17;
/** One endpoint in so many is healthy, at an address of its own, in the same shards as the failing. */
const HEALTHY_EACH = 60;
const HEALTHY = (RECORDS * ADDRESSES.length) / HEALTHY_EACH;
/** Of calls to look at once, for each shard; one comes back in an interval. */
const MOST_WAVES = 3;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: T0 });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A coordinator and its probers, all real, over doubles of what is dialled; the test moves the clock from alarm to alarm. */
class Stage {
  readonly name = `${1_000 + Math.floor(Math.random() * 1e9)}`;
  readonly coordinator = (env as unknown as Env).COORDINATOR.getByName(
    this.name,
  ) as DurableObjectStub<CoordinatorObject>;
  /** Of the probers. */
  readonly names = new Set<string>();
  readonly alarms = new Map<string, number>();
  readonly dead = new Set<string>();
  readonly dials: { address: string; at: number; prober: string }[] = [];
  looks = 0;
  /** The most dials that were under way at once in one prober. */
  mostPending = 0;
  #queue: (() => Promise<void>)[] = [];

  async raise(): Promise<void> {
    await runInDurableObject(this.coordinator, (coordinator) => {
      const { assign, lookNow } = coordinator.dependencies;
      Object.assign(coordinator.dependencies, {
        soon: (work: () => Promise<void>) => this.#queue.push(work),
        lookNow: (...given: Parameters<typeof lookNow>) => {
          this.looks += 1;
          return lookNow(...given);
        },
        assign: (assignment: Assignment) => {
          this.names.add(proberName(assignment.shard));
          return assign(assignment);
        },
      });
    });
  }

  async put(): Promise<void> {
    const shares = Array.from({ length: RECORDS }, (_, index) => {
      const rootHost = `r${index}.example.com`;
      const isMixed = (index * ADDRESSES.length) % HEALTHY_EACH === 0;
      const targets = [...ADDRESSES, ...(isMixed ? [`198.51.100.${index + 1}`] : [])];
      const check = { interval: "30s", failureThreshold: 2, regions: REGIONS };
      const endpoints = [{ dnsName: rootHost, recordType: "A", targets }];
      return share([], { name: `r${index}`, check, spec: { rootHost, endpoints } });
    });
    const rpc = this.coordinator as unknown as CoordinatorRpc;
    await rpc.putShares({ version: 1, cluster: "mass", number: { epoch: T0, n: 1 }, shares });
    await this.settle();
    for (const name of this.names) await this.#standIn(name);
  }

  async #standIn(name: string): Promise<void> {
    let pending = 0;
    const ask = async ({ address }: ProbeRequest) => {
      this.dials.push({ address, at: Date.now(), prober: name });
      pending += 1;
      this.mostPending = Math.max(this.mostPending, pending);
      await Promise.resolve();
      pending -= 1;
      const reason = this.dead.has(address) ? ("ConnectTimeout" as const) : ("Ok" as const);
      return { reason, phases: { totalMs: 0 }, address };
    };
    await inProber(freshProber(name), (prober) => {
      Object.assign(prober.dependencies, {
        probeInLoopback: ask,
        connect: () => {
          throw new Error("all are suspects here, which are asked elsewhere");
        },
      });
    });
    await this.#noteAlarm(name);
  }

  async #noteAlarm(name: string): Promise<void> {
    const at = await inProber(freshProber(name), (_, { storage }) => storage.getAlarm());
    if (at === null) this.alarms.delete(name);
    else this.alarms.set(name, at);
  }

  /** Everything that the coordinator wants done soon. */
  async settle(): Promise<void> {
    const before = this.looks;
    await runInDurableObject(this.coordinator, async () => {
      while (this.#queue.length > 0) await Promise.all(this.#queue.splice(0).map((work) => work()));
    });
    if (this.looks > before) for (const name of this.names) await this.#noteAlarm(name);
  }

  /** How many probes have each verdict. */
  async verdicts(): Promise<Record<string, number>> {
    const records = await (this.coordinator as unknown as CoordinatorRpc).listRecords();
    const found = Map.groupBy(
      records.flatMap(({ probes }) => probes),
      ({ verdict }) => verdict,
    );
    return Object.fromEntries([...found].map(([verdict, probes]) => [verdict, probes.length]));
  }

  /** Goes from alarm to alarm for so long. */
  async run(durationMs: number): Promise<void> {
    const end = Date.now() + durationMs;
    for (;;) {
      const [name, at] = [...this.alarms].reduce((first, one) => (one[1] < first[1] ? one : first));
      if (at > end) break;
      vi.setSystemTime(Math.max(at, Date.now()));
      await inProber(freshProber(name), async (prober, { storage }) => {
        await storage.deleteAlarm();
        await prober.alarm({ scheduledTime: at, retryCount: 0, isRetry: false });
      });
      await this.#noteAlarm(name);
      await this.settle();
    }
    vi.setSystemTime(end);
  }
}

/** The most that fall within one second, wherever that begins. */
function mostInASecond(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  return Math.max(...sorted.map((from, place) => sorted.findLastIndex((at) => at < from + 1_000) - place + 1));
}

it("a mass failure is decided soon and makes no storm of our own: addresses, slots and healthy probes are spared", {
  timeout: 120_000,
}, async () => {
  const stage = new Stage();
  await stage.raise();
  await stage.put();
  await stage.run(2.1 * INTERVAL_MS);
  expect(Object.keys(await stage.verdicts())).toEqual(["Healthy"]);
  stage.dials.length = 0;
  for (const address of ADDRESSES) stage.dead.add(address);
  await stage.run(1.4 * INTERVAL_MS);
  expect(await stage.verdicts()).toEqual({ Unhealthy: RECORDS * ADDRESSES.length, Healthy: HEALTHY });
  const { MAX_REQUESTS_PER_ADDRESS } = readSettings(env);
  const failing = stage.dials.filter(({ address }) => ADDRESSES.includes(address));
  for (const dials of Map.groupBy(failing, ({ address }) => address).values()) {
    expect(mostInASecond(dials.map(({ at }) => at))).toBeLessThanOrEqual(MAX_REQUESTS_PER_ADDRESS);
  }
  expect(stage.mostPending).toBeLessThanOrEqual(MAX_SUSPECTS);
  const shards = stage.names.size / REGIONS.length;
  expect(stage.looks).toBeGreaterThan(0);
  expect(stage.looks).toBeLessThanOrEqual((MOST_WAVES + 1) * shards * (REGIONS.length - 1));
  const healthy = stage.dials.filter(({ address }) => !ADDRESSES.includes(address));
  const byProber = Map.groupBy(healthy, ({ address, prober }) => `${address} from ${prober}`);
  expect(byProber.size).toBe(HEALTHY * REGIONS.length);
  for (const dials of byProber.values()) {
    for (const [place, { at }] of dials.entries())
      expect(at - (dials[place - 1]?.at ?? at)).toBeLessThan(2 * INTERVAL_MS);
  }
});
