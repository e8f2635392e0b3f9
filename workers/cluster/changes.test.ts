import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Delivery } from "../../shared/model/messages/delivery.ts";
import type { MessageNumber } from "../../shared/model/number.ts";
import { signatureFault } from "../../shared/signature.ts";
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
const AT_ONCE = { VEDETTE_RECONFIG_MAX_DELAY: "0s" };
const HOSTS = Array.from({ length: 200 }, (_, index) => `r${index}.example.com`);

beforeEach(stopClock);
afterEach(() => {
  vi.useRealTimers();
});

/** A state of the cluster's records: each at this address, but for those that are named. */
const recordsAt = (others: Record<string, string> = {}, hosts = HOSTS) =>
  hosts.map((host) => statusOf(host, [others[host] ?? "203.0.113.1"]));
const deliveries = async (world: World) => (await world.received()).map(({ body }): Delivery => JSON.parse(body));
const told = (delivery: Delivery) =>
  delivery.kind === "Contact" ? delivery.kind : `${delivery.kind} ${delivery.number.n}: ${delivery.records.length}`;
const isInForce = async ({ cluster }: World) => {
  const view = await cluster.describe();
  return view?.decided === view?.acknowledged && view?.failures === 0;
};
const decide = async (world: World, n: number, ...[others, hosts]: Parameters<typeof recordsAt>) => {
  advance(SECOND_MS);
  await world.decide(n, recordsAt(others, hosts));
  await until(() => isInForce(world));
};
const numbered = async ({ cluster }: World, n: number): Promise<MessageNumber> => ({
  epoch: (await cluster.describe())?.registeredAt ?? 0,
  n,
});
/** A cluster whose agent takes changes, and holds all 200 records. */
const withRecords = (name: string, story: (world: World) => Promise<void>, takes = ["Changes"]) =>
  withCluster(name, AT_ONCE, async (world) => {
    await world.receiver({ takes });
    await world.push([recordOf("a")]);
    await decide(world, 1);
    await story(world);
  });

describe("a change of one record of two hundred", () => {
  it("is delivered as that record alone, signed, to an agent that holds the others", async () => {
    await withRecords("one-of-many", async (world) => {
      await decide(world, 2, { "r7.example.com": "203.0.113.7" });
      const [whole, changes, ...more] = await deliveries(world);
      expect(more).toEqual([]);
      expect(whole).toMatchObject({ kind: "Full", number: { n: 1 } });
      expect(changes).toMatchObject({
        kind: "Changes",
        since: await numbered(world, 1),
        number: await numbered(world, 2),
        records: [statusOf("r7.example.com", ["203.0.113.7"])],
        removed: [],
      });
      const last = (await world.received()).at(-1);
      const request = {
        webhookId: last?.headers["webhook-id"],
        webhookTimestamp: last?.headers["webhook-timestamp"],
        webhookSignature: last?.headers["webhook-signature"],
        body: last?.body ?? "",
      };
      expect(signatureFault(request, [world.secret], Date.now())).toBeUndefined();
      expect(request.webhookId).not.toBe((await world.received())[0]?.id);
    });
  });

  it("comes as it is by then, together with all others since, and with what is no more", async () => {
    await withCluster("together", { VEDETTE_RECONFIG_MAX_DELAY: "30s" }, async (world) => {
      await world.receiver({ takes: ["Changes"] });
      await world.push([recordOf("a")]);
      await decide(world, 1);
      await world.decide(2, recordsAt({ "r1.example.com": "203.0.113.2" }));
      await world.decide(3, recordsAt({ "r1.example.com": "203.0.113.3", "r2.example.com": "203.0.113.3" }));
      await world.decide(4, recordsAt({ "r1.example.com": "203.0.113.3" }, HOSTS.slice(0, -1)));
      advance(31 * SECOND_MS);
      await world.cluster.alarm();
      expect((await deliveries(world)).slice(1)).toMatchObject([
        {
          kind: "Changes",
          since: { n: 1 },
          number: { n: 4 },
          records: [statusOf("r1.example.com", ["203.0.113.3"]), statusOf("r2.example.com", ["203.0.113.1"])],
          removed: ["r199.example.com"],
        },
      ]);
    });
  });

  it("is never told alone to an agent that does not say that it takes that", async () => {
    await withRecords(
      "former",
      async (world) => {
        for (let n = 2; n < 5; n += 1) await decide(world, n, { "r7.example.com": `203.0.113.${n}` });
        expect((await deliveries(world)).map(told)).toEqual([
          "Full 1: 200",
          "Full 2: 200",
          "Full 3: 200",
          "Full 4: 200",
        ]);
      },
      [],
    );
  });
});

describe("an agent that answers changes with an older number", () => {
  it("gets everything at once, without patience, and changes again after it", async () => {
    await withRecords("lost", async (world) => {
      await world.receiver({ applied: { epoch: 0, n: 0 } });
      await decide(world, 2, { "r7.example.com": "203.0.113.7" });
      await decide(world, 3, { "r7.example.com": "203.0.113.8" });
      expect((await deliveries(world)).map(told)).toEqual([
        "Full 1: 200",
        "Changes 2: 1",
        "Full 2: 200",
        "Changes 3: 1",
      ]);
      expect(await world.cluster.describe()).toMatchObject({ failures: 0, conditions: [] });
    });
  });
});

describe("the next delivery is whole", () => {
  it.each<[string, (world: World) => Promise<unknown>]>([
    [
      "after one that failed",
      async (world) => {
        await world.receiver({ mode: "error" });
        advance(SECOND_MS);
        await world.decide(2, recordsAt({ "r7.example.com": "203.0.113.2" }));
        await until(async () => (await world.cluster.describe())?.failures === 1);
        await world.receiver({ mode: "ack" });
      },
    ],
    ["after a loss of memory", async (world) => world.restart()],
    ["once the cluster was bound anew", (world) => world.cluster.rebind()],
    ["once another agent has pushed", (world) => world.push([recordOf("a")], { instance: "agent-2" })],
    [
      "once another agent has pushed in vain",
      (world) => world.push([recordOf("a")], { instance: "agent-2", ifMatch: null }),
    ],
    [
      "once the agent has asked",
      async (world) =>
        world.cluster.pull({ ...signed(world.secret, "ask", "/target"), after: await numbered(world, 1) }),
    ],
    [
      "where the agent says no more that it takes changes",
      async (world) => {
        await world.receiver({ takes: [] });
        await decide(world, 2, { "r7.example.com": "203.0.113.2" });
      },
    ],
  ])("%s", async (name, happen) => {
    await withRecords(`whole-${name.replaceAll(" ", "-")}`, async (world) => {
      await happen(world);
      await decide(world, 9, { "r7.example.com": "203.0.113.9" });
      const last = (await deliveries(world)).at(-1);
      expect(last?.kind).toBe("Full");
      expect(last?.kind === "Full" && last.records[HOSTS.toSorted().indexOf("r7.example.com")]).toEqual(
        statusOf("r7.example.com", ["203.0.113.9"]),
      );
    });
  });
});

describe("an edge that lost its memory", () => {
  it("needs no whole delivery where word from it is answered with all that is decided", async () => {
    await withRecords("word", async (world) => {
      world.restart();
      advance(60 * SECOND_MS);
      await world.cluster.alarm();
      await decide(world, 2, { "r7.example.com": "203.0.113.7" });
      expect((await deliveries(world)).map(told)).toEqual(["Full 1: 200", "Contact", "Changes 2: 1"]);
    });
  });
});
