import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { RecordStatus } from "../../shared/model/status.ts";
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
import { decided, delivered, leftAfter } from "./delivery-events.ts";

const SECOND_MS = 1_000;
const AT_ONCE = { VEDETTE_RECONFIG_MAX_DELAY: "0s" };

beforeEach(stopClock);
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const a = (...targets: string[]) => statusOf("a.example.com", targets);
const told = ({ coordinators }: World) => coordinators[0]?.events.map(({ type }) => type) ?? [];
const messages = ({ coordinators }: World) => coordinators[0]?.events.map(({ message }) => message) ?? [];
const isConfirmed = async ({ cluster }: World) => {
  const view = await cluster.describe();
  return view?.decided === view?.acknowledged && view?.failures === 0;
};
const decideAnd = async (world: World, n: number, record: RecordStatus, isDone = isConfirmed) => {
  advance(SECOND_MS);
  await world.decide(n, [record]);
  await until(() => isDone(world));
};
const passMinute = async (world: World) => {
  for (let second = 0; second < 60; second += 1) {
    advance(SECOND_MS);
    await world.cluster.alarm();
  }
};

describe("a delivery", () => {
  it("that is confirmed is told of once, with its number and how long it took", async () => {
    await withCluster("told-once", AT_ONCE, async (world) => {
      await world.push([recordOf("a")]);
      await decideAnd(world, 1, a("203.0.113.1"));
      await until(() => told(world).length === 1);
      await passMinute(world);
      world.restart();
      await passMinute(world);
      expect(told(world)).toEqual(["Delivered"]);
      const { acknowledged } = (await world.cluster.describe()) ?? {};
      expect(messages(world)[0]).toContain(`has applied ${acknowledged}, 0.0 s after`);
      await decideAnd(world, 2, a("203.0.113.2"));
      await until(() => told(world).length === 2);
    });
  });

  it("takes the place of one whose row cannot be read", async () => {
    await withCluster("bad-row", AT_ONCE, async (world) => {
      await world.push([recordOf("a")]);
      await decideAnd(world, 1, a("203.0.113.1"));
      world.state.storage.sql.exec("UPDATE decision SET json = substr(json, 1, 20)");
      await decideAnd(world, 2, a("203.0.113.2"));
      expect((await world.received()).at(-1)?.body).toContain("203.0.113.2");
    });
  });

  it("of a decision that stays, with other words about it, is no event", async () => {
    await withCluster("told-words", AT_ONCE, async (world) => {
      await world.push([recordOf("a")]);
      await decideAnd(world, 1, a("203.0.113.1"));
      const advisories = [{ type: "Dissent" as const, message: "weur says Unhealthy" }];
      await decideAnd(world, 2, { ...a("203.0.113.1"), advisories });
      await passMinute(world);
      expect(told(world)).toEqual(["Delivered"]);
    });
  });

  it("that an agent fetches is told of when it says that it has it", async () => {
    await withCluster("told-asked", AT_ONCE, async (world) => {
      await world.push([recordOf("a")]);
      world.state.storage.sql.exec(
        "UPDATE cell SET value = json_remove(value, '$.webhookUrl') WHERE name = 'identity'",
      );
      await world.decide(1, [a("203.0.113.1")]);
      const { decided: text = "" } = (await world.cluster.describe()) ?? {};
      const [epoch = 0, n = 0] = text.split(".").map(Number);
      expect(told(world)).toEqual([]);
      for (let count = 0; count < 2; count += 1) {
        const target = `/v1/clusters/told-asked/delivery?after=${text}&${count}`;
        await world.cluster.pull({ ...signed(world.secret, `ask_${count}`, target), after: { epoch, n } });
      }
      await until(() => told(world).length > 0);
      expect(told(world)).toEqual(["Delivered"]);
    });
  });
});

describe("an agent that cannot be reached", () => {
  it("is told of when a second attempt fails, once, and again when it is back; no address is named", async () => {
    await withCluster("told-down", AT_ONCE, async (world) => {
      await world.push([recordOf("a")]);
      await decideAnd(world, 1, a("203.0.113.1"));
      await world.receiver({ mode: "error" });
      await decideAnd(world, 2, a("203.0.113.2"), async () => (await world.cluster.describe())?.failures === 1);
      expect(told(world)).toEqual(["Delivered"]);
      await passMinute(world);
      world.restart();
      await passMinute(world);
      expect(told(world)).toEqual(["Delivered", "ClusterUnreachable"]);
      expect(messages(world)[1]).toMatch(/^deliveries fail since \d{4}-.*: answered 500$/);
      await world.receiver({ mode: "ack" });
      await passMinute(world);
      await until(() => told(world).length === 4);
      expect(told(world).toSorted()).toEqual(["ClusterReachable", "ClusterUnreachable", "Delivered", "Delivered"]);
      expect(
        messages(world).find((message) => message.includes("has applied") && !message.includes(" 0.0 s")),
      ).toBeDefined();
      expect(messages(world).join()).not.toContain("127.0.0.1");
    });
  });

  it("for one attempt is not worth a word", async () => {
    await withCluster("told-blink", AT_ONCE, async (world) => {
      await world.push([recordOf("a")]);
      await world.receiver({ mode: "error" });
      await decideAnd(world, 1, a("203.0.113.1"), async () => (await world.cluster.describe())?.failures === 1);
      await world.receiver({ mode: "ack" });
      await passMinute(world);
      expect(told(world)).toEqual(["Delivered"]);
    });
  });

  it("at an address where nobody listens is told of without it", async () => {
    await withCluster("told-nowhere", AT_ONCE, async (world) => {
      await world.push([recordOf("a")]);
      const url = "http://127.0.0.1:1/hook?key=S3CR3T";
      world.state.storage.sql.exec(
        "UPDATE cell SET value = json_set(value, '$.webhookUrl', ?) WHERE name = 'identity'",
        url,
      );
      await decideAnd(world, 1, a("203.0.113.1"), async () => (await world.cluster.describe())?.failures === 1);
      await passMinute(world);
      expect(told(world)).toEqual(["ClusterUnreachable"]);
      expect(messages(world).join()).not.toMatch(/127\.0\.0\.1|S3CR3T|hook/);
    });
  });
});

describe("what is not confirmed yet", () => {
  it.each([
    ["the first", decided(undefined, 4, 10), { at: 10, first: 4, last: 4 }],
    ["one more", decided({ at: 10, first: 4, last: 4 }, 7, 20), { at: 10, first: 4, last: 7 }],
    ["none is left", leftAfter({ at: 10, first: 4, last: 7 }, 7, 30), undefined],
    ["some are left", leftAfter({ at: 10, first: 4, last: 7 }, 5, 30), { at: 30, first: 6, last: 7 }],
  ])("is known by its numbers: %s", (_, after, expected) => {
    expect(after).toEqual(expected);
  });

  it("takes no less than no time, whatever the clock does", () => {
    expect(delivered({ epoch: 1, n: 2 }, -5)).toContain("has applied 1.2, 0.0 s after");
  });
});
