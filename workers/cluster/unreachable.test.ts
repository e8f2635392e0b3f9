import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { advance, recordOf, statusOf, stopClock, until, type World, withCluster } from "../../test/support/cluster.ts";

const SECOND_MS = 1_000;
const AT_ONCE = { VEDETTE_RECONFIG_MAX_DELAY: "0s" };

beforeEach(stopClock);
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Two minutes of alarms: the regular word goes out twice at least. */
const passTime = async ({ cluster }: World) => {
  for (let step = 0; step < 12; step += 1) {
    advance(10 * SECOND_MS);
    await cluster.alarm();
  }
};
const lastWord = ({ coordinators: [one] }: World) => one?.contacts.at(-1)?.unreachable;
const isDelivered = async ({ cluster }: World) => ((await cluster.describe())?.failures ?? 1) === 0;

it("the regular word says since when deliveries fail, through all of them and a loss of memory, until one is taken", async () => {
  await withCluster("since-when", AT_ONCE, async (world) => {
    await world.push([recordOf("a")]);
    await until(() => isDelivered(world));
    await passTime(world);
    expect(lastWord(world)).toBeUndefined();
    await world.receiver({ mode: "error" });
    advance(SECOND_MS);
    const from = Date.now();
    await world.decide(1, [statusOf("a.example.com", ["203.0.113.1"])]);
    await world.cluster.alarm();
    await passTime(world);
    world.restart();
    await passTime(world);
    expect(lastWord(world)).toEqual({ since: from, failure: "answered 500" });
    await world.receiver({ mode: "ack" });
    await passTime(world);
    expect(lastWord(world)).toBeUndefined();
  });
});

it("one delivery that fails, and is taken the next time, is not told", async () => {
  await withCluster("once", AT_ONCE, async (world) => {
    await world.push([recordOf("a")]);
    await until(() => isDelivered(world));
    await world.receiver({ mode: "error" });
    await world.decide(1, [statusOf("a.example.com", ["203.0.113.1"])]);
    await world.cluster.alarm();
    expect((await world.cluster.describe())?.failures).toBe(1);
    await world.receiver({ mode: "ack" });
    await passTime(world);
    const words = world.coordinators[0]?.contacts ?? [];
    expect(words.length).toBeGreaterThan(1);
    expect(words.flatMap(({ unreachable }) => unreachable ?? [])).toEqual([]);
  });
});
