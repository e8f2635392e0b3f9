import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Delivery } from "../../shared/model/messages/delivery.ts";
import { signatureFault } from "../../shared/signature.ts";
import type { Received } from "../../test/receivers/receiver.ts";
import {
  advance,
  recordOf,
  signed,
  statusOf,
  stopClock,
  until,
  type World,
  withCluster,
} from "../../test/support/cluster.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
/** No window, unless a test is about it. */
const AT_ONCE = { VEDETTE_RECONFIG_MAX_DELAY: "0s" };

beforeEach(stopClock);
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const bodyOf = ({ body }: Received): Delivery => JSON.parse(body);
const targetsOf = (received: Received) => {
  const delivery = bodyOf(received);
  return delivery.kind === "Full" ? delivery.records.flatMap(({ endpoints }) => endpoints[0]?.targets ?? []) : [];
};
const fulls = async ({ received }: World) => (await received()).filter((one) => bodyOf(one).kind === "Full");
const acknowledged = async ({ cluster }: World) => {
  const view = await cluster.describe();
  return view?.decided === view?.acknowledged;
};
/** One minute of alarms, as often as they are due. */
const passMinute = async ({ cluster }: World) => {
  for (let second = 0; second < 60; second += 1) {
    advance(SECOND_MS);
    await cluster.alarm();
  }
};
const decideOn = (world: World, n: number, ...targets: string[]) =>
  world.decide(n, [statusOf("a.example.com", targets)]);
const begin = async (world: World) => {
  await world.push([recordOf("a")]);
};

describe("a decision", () => {
  it("is delivered at once, signed, with its number; the acknowledgement is kept", async () => {
    await withCluster("delivered", AT_ONCE, async (world) => {
      await begin(world);
      await decideOn(world, 1, "203.0.113.10");
      await until(() => acknowledged(world));
      const [one, ...more] = await fulls(world);
      expect(more).toEqual([]);
      expect(one && targetsOf(one)).toEqual(["203.0.113.10"]);
      const request = {
        webhookId: one?.headers["webhook-id"],
        webhookTimestamp: one?.headers["webhook-timestamp"],
        webhookSignature: one?.headers["webhook-signature"],
        body: one?.body ?? "",
      };
      expect(signatureFault(request, [world.secret], Date.now())).toBeUndefined();
      world.restart();
      expect(await acknowledged(world)).toBe(true);
    });
  });

  it("that repeats an older number, or the same records, is no news", async () => {
    await withCluster("no-news", AT_ONCE, async (world) => {
      await begin(world);
      await decideOn(world, 5, "203.0.113.10");
      await until(() => acknowledged(world));
      await decideOn(world, 4, "203.0.113.66");
      await decideOn(world, 5, "203.0.113.66");
      await decideOn(world, 6, "203.0.113.10");
      await passMinute(world);
      expect((await fulls(world)).map(targetsOf)).toEqual([["203.0.113.10"]]);
    });
  });

  it("that drops a record is delivered without it", async () => {
    await withCluster("dropped", AT_ONCE, async (world) => {
      await begin(world);
      const b = statusOf("b.example.com", ["203.0.113.2"]);
      await world.decide(1, [statusOf("a.example.com", ["203.0.113.1"]), b]);
      await until(() => acknowledged(world));
      await world.decide(2, [b]);
      await until(() => acknowledged(world));
      expect((await fulls(world)).map(targetsOf)).toEqual([["203.0.113.1", "203.0.113.2"], ["203.0.113.2"]]);
    });
  });

  it("of any size is stored and delivered whole", async () => {
    await withCluster("large", AT_ONCE, async (world) => {
      await begin(world);
      const message = "😀".repeat(1_100_000);
      await world.decide(1, [{ ...statusOf("a.example.com", []), advisories: [{ type: "KeptLast", message }] }]);
      world.restart();
      await world.cluster.alarm();
      const [one] = await fulls(world);
      const delivery = one && bodyOf(one);
      expect(delivery?.kind === "Full" && delivery.records[0]?.advisories[0]?.message === message).toBe(true);
    });
  });

  it("waits for the window after the last sending, together with all that come until then", async () => {
    await withCluster("window", { VEDETTE_RECONFIG_MAX_DELAY: "30s" }, async (world) => {
      await begin(world);
      await decideOn(world, 1, "203.0.113.1");
      await until(() => acknowledged(world));
      for (let n = 2; n < 10; n += 1) {
        advance(3 * SECOND_MS);
        await decideOn(world, n, `203.0.113.${n}`);
        await world.cluster.alarm();
      }
      expect((await fulls(world)).map(targetsOf)).toEqual([["203.0.113.1"]]);
      advance(6 * SECOND_MS);
      await world.cluster.alarm();
      expect((await fulls(world)).map(targetsOf)).toEqual([["203.0.113.1"], ["203.0.113.9"]]);
    });
  });

  it("survives the loss of memory before it was sent, and while it waited", async () => {
    await withCluster("forgotten", { VEDETTE_RECONFIG_MAX_DELAY: "30s" }, async (world) => {
      await begin(world);
      await decideOn(world, 1, "203.0.113.1");
      await until(() => acknowledged(world));
      advance(SECOND_MS);
      await decideOn(world, 2, "203.0.113.2");
      world.restart();
      advance(MINUTE_MS);
      await world.cluster.alarm();
      expect((await fulls(world)).map(targetsOf)).toEqual([["203.0.113.1"], ["203.0.113.2"]]);
    });
  });

  it("that got lost on its way here is fetched within a minute", async () => {
    await withCluster("fetched", AT_ONCE, async (world) => {
      await begin(world);
      const [coordinator] = world.coordinators;
      const records = [statusOf("a.example.com", ["203.0.113.1"])];
      if (coordinator) {
        coordinator.decisions = { version: 1, cluster: "fetched", partition: 0, number: { epoch: 7, n: 1 }, records };
      }
      await passMinute(world);
      await until(() => acknowledged(world));
      expect((await fulls(world)).map(targetsOf)).toEqual([["203.0.113.1"]]);
    });
  });
});

describe("a target that is down for a minute and back", () => {
  it("gets one delivery with the newest state, under one id for each number", async () => {
    await withCluster("down", AT_ONCE, async (world) => {
      await begin(world);
      await world.receiver({ mode: "error" });
      for (let n = 1; n <= 60; n += 1) {
        advance(SECOND_MS);
        await decideOn(world, n, `203.0.113.${n}`);
        await world.cluster.alarm();
      }
      const before = await fulls(world);
      expect(before.length).toBeLessThan(20);
      const view = await world.cluster.describe();
      expect(view?.failures).toBe(before.length);
      expect(view?.conditions).toMatchObject([{ type: "Delivered", status: "False" }]);
      await world.receiver({ mode: "ack" });
      await passMinute(world);
      const after = (await fulls(world)).slice(before.length);
      expect(after.map(targetsOf)).toEqual([["203.0.113.60"]]);
      expect(await acknowledged(world)).toBe(true);
      expect(await world.cluster.describe()).toMatchObject({ failures: 0, conditions: [] });
    });
  });

  it("is tried again and again, further and further apart, with the same id and never less than once a minute", async () => {
    await withCluster("retried", AT_ONCE, async (world) => {
      await begin(world);
      await world.receiver({ mode: "error" });
      await decideOn(world, 1, "203.0.113.1");
      await until(async () => (await fulls(world)).length === 1);
      const startMs = Date.now();
      const triesAt: number[] = [];
      for (let minute = 0; minute < 5; minute += 1) {
        for (let second = 0; second < 60; second += 1) {
          advance(SECOND_MS);
          world.restart();
          const before = (await fulls(world)).length;
          await world.cluster.alarm();
          if ((await fulls(world)).length > before) triesAt.push((Date.now() - startMs) / SECOND_MS);
        }
      }
      const gaps = triesAt.slice(1).map((at, index) => at - (triesAt[index] ?? 0));
      expect(Math.max(...gaps)).toBeLessThanOrEqual(60);
      expect(gaps.at(-1)).toBeGreaterThan(20);
      expect(gaps[0]).toBeLessThan(10);
      expect(new Set((await fulls(world)).map(({ id }) => id)).size).toBe(1);
    });
  });

  it.each([
    ["no-ack", "without an acknowledgement"],
    ["redirect", "redirects are not followed"],
    ["platform", "trouble on the way"],
    ["too-low", "instead of"],
    ["endless", "without an acknowledgement"],
  ] as const)("is not acknowledged by an answer of kind %s", async (mode, words) => {
    await withCluster(`answer-${mode}`, AT_ONCE, async (world) => {
      await begin(world);
      await world.receiver({ mode });
      await decideOn(world, 1, "203.0.113.1");
      await until(async () => ((await world.cluster.describe())?.failures ?? 0) > 0);
      expect((await world.cluster.describe())?.lastFailure).toContain(words);
      expect(await acknowledged(world)).toBe(false);
      expect(await world.received()).toHaveLength(1);
    });
  });
});

describe("a target that accepts and never answers", () => {
  it.each(["hang", "trickle"] as const)("(%s) delays neither another cluster nor its own snapshots", async (mode) => {
    await withCluster(`hung-${mode}`, AT_ONCE, async (hung) => {
      await begin(hung);
      await hung.receiver({ mode });
      await decideOn(hung, 1, "203.0.113.1");
      await until(async () => (await fulls(hung)).length === 1);
      await withCluster(`other-${mode}`, AT_ONCE, async (other) => {
        await begin(other);
        await decideOn(other, 1, "203.0.113.2");
        await until(() => acknowledged(other));
      });
      advance(SECOND_MS);
      expect(await hung.push([recordOf("a"), recordOf("b")])).toMatchObject({ ok: true });
      await decideOn(hung, 2, "203.0.113.3");
      expect(await hung.cluster.describe()).toMatchObject({ failures: 0 });
    });
  });
});

describe("word from the edge", () => {
  it("leaves at least each minute when nothing has changed, also before anything was decided", async () => {
    await withCluster("contact", AT_ONCE, async (world) => {
      for (let minute = 1; minute <= 3; minute += 1) {
        await passMinute(world);
        expect((await world.received()).length).toBeGreaterThanOrEqual(minute);
      }
      const kinds = new Set((await world.received()).map((one) => bodyOf(one).kind));
      expect([...kinds]).toEqual(["Contact"]);
      expect((await world.received()).length).toBeLessThanOrEqual(8);
      expect((await world.cluster.describe())?.lastDeliveryAt).toBeGreaterThan(0);
    });
  });

  it("leaves thrice before an agent would take the edge for silent", async () => {
    await withCluster("often", { ...AT_ONCE, EDGE_STALE_AFTER: "15s" }, async (world) => {
      await passMinute(world);
      const times = (await world.received()).map((one) => bodyOf(one).sentAt);
      const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
      expect(gaps.length).toBeGreaterThan(10);
      expect(Math.max(...gaps)).toBeLessThanOrEqual(5 * SECOND_MS);
    });
  });

  it("that is answered with an older number brings everything at once", async () => {
    await withCluster("lost-state", { VEDETTE_RECONFIG_MAX_DELAY: "30s" }, async (world) => {
      await begin(world);
      await decideOn(world, 1, "203.0.113.1");
      await until(() => acknowledged(world));
      await world.receiver({ applied: { epoch: 0, n: 0 } });
      advance(MINUTE_MS);
      await world.cluster.alarm();
      expect((await world.received()).map((one) => bodyOf(one).kind)).toEqual(["Full", "Contact", "Full"]);
      expect(await acknowledged(world)).toBe(true);
    });
  });
});

describe("an edge without memory", () => {
  it("delivers nothing until every partition has decided, and then all of it", async () => {
    await withCluster("bootstrap", { ...AT_ONCE, PARTITIONS: "2" }, async (world) => {
      const names = ["a", "b", "c", "d", "e", "f"];
      await world.push(names.map((name) => recordOf(name)));
      await world.decide(1, [statusOf("a.example.com", ["203.0.113.1"])], 0);
      await passMinute(world);
      expect(await fulls(world)).toEqual([]);
      await world.decide(1, [statusOf("b.example.com", ["203.0.113.2"])], 1);
      await until(() => acknowledged(world));
      expect((await fulls(world)).map(targetsOf)).toEqual([["203.0.113.1", "203.0.113.2"]]);
    });
  });

  it("waits no longer than EDGE_STALE_AFTER for a partition that is silent", async () => {
    await withCluster("impatient", { ...AT_ONCE, PARTITIONS: "2", EDGE_STALE_AFTER: "2m" }, async (world) => {
      await world.push(["a", "b", "c", "d", "e", "f"].map((name) => recordOf(name)));
      await world.decide(1, [statusOf("a.example.com", ["203.0.113.1"])], 0);
      await passMinute(world);
      expect(await fulls(world)).toEqual([]);
      await passMinute(world);
      await passMinute(world);
      expect((await fulls(world)).map(targetsOf)).toEqual([["203.0.113.1"]]);
    });
  });
});

describe("the alarm", () => {
  it("is set again after everything failed", async () => {
    vi.spyOn(console, "warn").mockImplementation(() => {});
    await withCluster("alarms", AT_ONCE, async (world) => {
      await begin(world);
      const [coordinator] = world.coordinators;
      if (coordinator) coordinator.mode = "down";
      await world.receiver({ mode: "error" });
      await world.cluster.alarm();
      expect(await world.state.storage.getAlarm()).toBeGreaterThan(Date.now());
    });
  });

  it("is set at once where it is lost or long overdue, and left where it is soon enough", async () => {
    await withCluster("overdue", AT_ONCE, async (world) => {
      await begin(world);
      await world.cluster.alarm();
      const alarm = () => world.state.storage.getAlarm();
      await world.state.storage.deleteAlarm();
      world.restart();
      await world.cluster.heartbeat();
      expect(await alarm()).toBeLessThan(Date.now() + 5 * SECOND_MS);
      const soonMs = Date.now() + 30 * SECOND_MS;
      await world.state.storage.setAlarm(soonMs);
      await world.cluster.heartbeat();
      expect(await alarm()).toBe(soonMs);
      advance(3 * MINUTE_MS);
      await world.cluster.heartbeat();
      expect(await alarm()).toBe(Date.now() + 1);
    });
  });
});

describe("an agent that asks", () => {
  it("gets what is newer than it has, acknowledges by asking, and all again after it lost its state", async () => {
    await withCluster("asking", AT_ONCE, async (world) => {
      await begin(world);
      await world.receiver({ mode: "error" });
      await decideOn(world, 1, "203.0.113.1");
      const ask = (after: { epoch: number; n: number }) =>
        world.cluster.pull({ ...signed(world.secret, "ask", "/target"), after });
      const first = await ask({ epoch: 0, n: 0 });
      expect(first).toMatchObject({ ok: true, delivery: { kind: "Full", number: { n: 1 } } });
      const number = first.ok ? first.delivery.number : { epoch: 0, n: 0 };
      expect(await acknowledged(world)).toBe(false);
      expect(await ask(number)).toMatchObject({ ok: true, delivery: { kind: "Contact", number: { n: 1 } } });
      expect(await acknowledged(world)).toBe(true);
      expect(await ask({ epoch: 0, n: 0 })).toMatchObject({ ok: true, delivery: { kind: "Full" } });
    });
  });
});

describe("removal", () => {
  it("empties the storage once every coordinator has forgotten the cluster, and not before", async () => {
    await withCluster("removed", { ...AT_ONCE, PARTITIONS: "2" }, async (world) => {
      await begin(world);
      const [, second] = world.coordinators;
      if (second) second.mode = "down";
      expect(await world.cluster.remove()).toMatchObject({ ok: false, problem: { status: 503 } });
      expect(await world.cluster.describe()).toMatchObject({ records: 1 });
      if (second) second.mode = "up";
      expect(await world.cluster.remove()).toEqual({ ok: true });
      expect(world.coordinators.map(({ clusters }) => clusters.size)).toEqual([0, 0]);
      world.restart();
      expect(await world.cluster.describe()).toBeUndefined();
      expect(await world.push([recordOf("a")])).toMatchObject({ ok: false, problem: { status: 404 } });
      expect(world.state.storage.sql.exec("SELECT name FROM sqlite_master").toArray()).toEqual([]);
      expect(await world.state.storage.getAlarm()).toBeNull();
    });
  });
});
