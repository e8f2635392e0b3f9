import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Delivery } from "../../shared/model/messages/delivery.ts";
import type { MessageNumber } from "../../shared/model/number.ts";
import { formatNumber, isNewer } from "../../shared/number.ts";
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

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const AT_ONCE = { VEDETTE_RECONFIG_MAX_DELAY: "0s" };

beforeEach(stopClock);
afterEach(() => {
  vi.useRealTimers();
});

const decideOn = (world: World, n: number, target: string) => world.decide(n, [statusOf("a.example.com", [target])]);
const deliveriesOf = async (world: World) => (await world.received()).map(({ body }): Delivery => JSON.parse(body));
const isInForce = async ({ cluster }: World) => {
  const view = await cluster.describe();
  return view?.decided === view?.acknowledged;
};
const epochOf = async ({ cluster }: World) => (await cluster.describe())?.registeredAt ?? 0;
const ask = (world: World, after: MessageNumber, id = `ask_${formatNumber(after).replace(".", "_")}`) =>
  world.cluster.pull({ ...signed(world.secret, id, "/target"), after });

describe("an agent that has applied a higher number than the edge decided", () => {
  it.each([
    ["of the edge's own epoch, from before it was restored", 0],
    ["of a later epoch, from another edge", 5 * MINUTE_MS],
  ])("(%s) gets the newest state at once, above that number, and all that follow", async (_, aheadMs) => {
    await withCluster(`above-${aheadMs}`, AT_ONCE, async (world) => {
      await world.push([recordOf("a")]);
      const applied = { epoch: (await epochOf(world)) + aheadMs, n: 90 };
      await world.receiver({ applied });
      await decideOn(world, 1, "203.0.113.1");
      await until(() => isInForce(world));
      const [first, second, ...more] = await deliveriesOf(world);
      expect(more).toEqual([]);
      expect(first).toMatchObject({ kind: "Full", number: { n: 1 } });
      expect(second).toMatchObject({ kind: "Full", number: { epoch: applied.epoch, n: 91 } });
      expect(second?.kind === "Full" && second.records[0]?.endpoints[0]?.targets).toEqual(["203.0.113.1"]);
      expect(await world.cluster.describe()).toMatchObject({ failures: 0, conditions: [] });
      world.restart();
      await decideOn(world, 2, "203.0.113.2");
      await until(() => isInForce(world));
      expect((await deliveriesOf(world)).at(-1)?.number).toEqual({ epoch: applied.epoch, n: 92 });
    });
  });

  it("is found out by word from the edge as well", async () => {
    await withCluster("above-contact", AT_ONCE, async (world) => {
      await world.push([recordOf("a")]);
      await decideOn(world, 1, "203.0.113.1");
      await until(() => isInForce(world));
      await world.receiver({ applied: { epoch: await epochOf(world), n: 90 } });
      advance(MINUTE_MS);
      await world.cluster.alarm();
      expect((await deliveriesOf(world)).map(({ kind, number }) => [kind, number.n])).toEqual([
        ["Full", 1],
        ["Contact", 1],
        ["Full", 91],
      ]);
      expect(await isInForce(world)).toBe(true);
    });
  });

  it("gets it in the answer when it asks", async () => {
    await withCluster("above-ask", AT_ONCE, async (world) => {
      await world.push([recordOf("a")]);
      await world.receiver({ mode: "error" });
      await decideOn(world, 1, "203.0.113.1");
      const after = { epoch: Date.now() + MINUTE_MS, n: 90 };
      const answer = await ask(world, after);
      expect(answer).toMatchObject({ ok: true, delivery: { kind: "Full", number: { ...after, n: 91 } } });
      expect(await ask(world, { ...after, n: 91 })).toMatchObject({ ok: true, delivery: { kind: "Contact" } });
    });
  });

  it("before the edge has anything to deliver: what it decides then is above", async () => {
    await withCluster("above-nothing", AT_ONCE, async (world) => {
      const applied = { epoch: Date.now() + MINUTE_MS, n: 90 };
      await world.receiver({ applied });
      advance(MINUTE_MS);
      await world.cluster.alarm();
      expect((await deliveriesOf(world)).map(({ kind }) => kind)).not.toContain("Full");
      await world.push([recordOf("a")]);
      await decideOn(world, 1, "203.0.113.1");
      await until(() => isInForce(world));
      const last = (await deliveriesOf(world)).at(-1);
      expect(last?.kind).toBe("Full");
      expect(last && isNewer(last.number, applied)).toBe(true);
    });
  });
});

describe("a coordinator that holds newer shares than a cluster that was put back to an earlier time sends", () => {
  it("gets them above those, and takes them", async () => {
    await withCluster("put-back", AT_ONCE, async (world) => {
      await world.push([recordOf("a")]);
      const [coordinator] = world.coordinators;
      const { held } = coordinator ?? {};
      if (coordinator === undefined || held === undefined) throw new Error("no shares were put");
      coordinator.held = { ...held, number: { ...held.number, n: 90 } };
      advance(MINUTE_MS);
      await world.push([recordOf("a"), recordOf("b")]);
      expect(coordinator.held).toMatchObject({ number: { n: 91 }, shares: [{ name: "a" }, { name: "b" }] });
      advance(MINUTE_MS);
      expect(await world.push([recordOf("a")])).toMatchObject({ ok: true });
      expect(coordinator.held).toMatchObject({ number: { n: 92 }, shares: [{ name: "a" }] });
    });
  });
});

describe("a number that is nonsense", () => {
  it("of an epoch far ahead is not followed; the failure says what to do", async () => {
    await withCluster("ahead", AT_ONCE, async (world) => {
      await world.push([recordOf("a")]);
      await world.receiver({ applied: { epoch: Date.now() + 2 * DAY_MS, n: 1 } });
      await decideOn(world, 1, "203.0.113.1");
      await until(async () => ((await world.cluster.describe())?.failures ?? 0) > 0);
      const view = await world.cluster.describe();
      expect(view?.lastFailure).toContain("a day ahead of the edge's clock");
      expect(view?.lastFailure).toContain("VEDETTE_STATE");
      expect(view?.decided).toBe(`${view?.registeredAt}.1`);
      expect(await world.received()).toHaveLength(1);
    });
  });

  it("is refused where an agent asks, and is no more once its state was removed", async () => {
    await withCluster("ahead-asking", AT_ONCE, async (world) => {
      await world.push([recordOf("a")]);
      const answer = await ask(world, { epoch: Date.now() + 2 * DAY_MS, n: 1 });
      expect(answer).toMatchObject({ ok: false, problem: { status: 422, errors: [{ field: "after" }] } });
      expect(await ask(world, { epoch: 0, n: 0 })).toMatchObject({ ok: true });
    });
  });

  it("as high as numbers go is gone past by the epoch", async () => {
    await withCluster("highest", AT_ONCE, async (world) => {
      await world.push([recordOf("a")]);
      const applied = { epoch: await epochOf(world), n: Number.MAX_SAFE_INTEGER };
      await world.receiver({ applied });
      await decideOn(world, 1, "203.0.113.1");
      await until(() => isInForce(world));
      expect((await deliveriesOf(world)).at(-1)?.number).toEqual({ epoch: applied.epoch + 1, n: 1 });
    });
  });

  it("that is above each delivery anew is a failure, and tried again with patience", async () => {
    await withCluster("too-high", AT_ONCE, async (world) => {
      await world.push([recordOf("a")]);
      await world.receiver({ mode: "too-high" });
      await decideOn(world, 1, "203.0.113.1");
      await until(async () => ((await world.cluster.describe())?.failures ?? 0) > 0);
      expect((await world.cluster.describe())?.lastFailure).toContain("which was never sent");
      expect(await world.received()).toHaveLength(2);
      expect(await isInForce(world)).toBe(false);
    });
  });
});
