import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { describe, expect, it, vi } from "vitest";
import { REGIONS_3, share } from "../../../test/support/coordinator/bench.ts";
import { FakeProbers } from "../../../test/support/coordinator/fake-probers.ts";
import { ownCoordinators } from "../../../test/support/edge.ts";
import { Watcher } from "../../../test/support/watcher.ts";
import type { CoordinatorRpc } from "../../rpc.ts";
import type { CoordinatorObject } from "../durable-object.ts";
import type { Sockets } from "./sockets.ts";
import { type LiveSource, LiveStream } from "./stream.ts";

const A = "203.0.113.10";
const B = "203.0.113.20";
const HOST = "api.example.com";

/** A coordinator with one record, whose probers report when the test says so. */
class Stage {
  readonly probers = new FakeProbers(() => Date.now());
  readonly #coordinators = ownCoordinators(1);

  get stub(): DurableObjectStub<CoordinatorObject> {
    return this.#coordinators.COORDINATOR.getByName("0");
  }

  get rpc(): CoordinatorRpc {
    return this.stub as unknown as CoordinatorRpc;
  }

  static async begin(): Promise<Stage> {
    const stage = new Stage();
    await stage.takeOver();
    await stage.rpc.registerCluster("east");
    await stage.put([A, B], 1);
    await vi.waitFor(() => expect(stage.probers.ids()).toHaveLength(6));
    for (let count = 0; count < 2; count += 1) await stage.round();
    return stage;
  }

  async put(targets: string[], n: number): Promise<void> {
    const shares = targets.length === 0 ? [] : [share(targets)];
    await this.rpc.putShares({ version: 1, cluster: "east", number: { epoch: 1, n }, shares });
  }

  /** What the object calls is the test's, also after it was away. */
  async takeOver(): Promise<void> {
    await runInDurableObject(this.stub, ({ dependencies }: CoordinatorObject) => {
      dependencies.assign = async (assignment) => this.probers.assign(assignment);
      dependencies.decided = async () => {};
    });
  }

  async sleep(): Promise<void> {
    await evictDurableObject(this.stub);
    await this.takeOver();
  }

  async round(): Promise<void> {
    for (const report of this.probers.round(REGIONS_3)) await this.rpc.report(report);
  }

  async watch(after?: number): Promise<Watcher> {
    const query = after === undefined ? "" : `?after=${after}`;
    const answer = await this.stub.fetch(`https://coordinator/live${query}`, { headers: { upgrade: "websocket" } });
    const watcher = new Watcher(answer);
    await watcher.until(({ messages }) => messages.length > 0);
    return watcher;
  }

  fail(leaf: string): void {
    this.probers.outcome = (one) => (one === leaf ? "ConnectFailed" : "Ok");
  }

  note(message: string): Promise<void> {
    return this.rpc.noteEvent({ type: "DuplicateAgent", cluster: "east", message });
  }

  /** One that comes after all that was to come before. */
  async settled(watcher: Watcher): Promise<void> {
    const mark = `mark ${Math.random()}`;
    await this.note(mark);
    await watcher.until(({ events }) => events.some(({ message }) => message === mark));
  }
}

/** Every event of the log once, in its order. */
async function expectWhole(stage: Stage, watchers: readonly Watcher[], after = 0): Promise<void> {
  const log = (await stage.rpc.listNewestEvents(500)).filter(({ id }) => id > after);
  expect(watchers.flatMap(({ events }) => events)).toEqual(log);
}

describe("the stream", () => {
  it("begins with where the log is, and without records", async () => {
    const stage = await Stage.begin();
    const { messages } = await stage.watch();
    const last = (await stage.rpc.listNewestEvents(1))[0]?.id;
    expect(messages).toMatchObject([{ records: [], removed: [], events: [], lastEventId: last }]);
  });

  it("tells of each change within a tick: a region's word, the verdict, the decision, and what is gone", async () => {
    const stage = await Stage.begin();
    const watcher = await stage.watch();
    const newest = () => watcher.messages.findLast(({ records }) => records.length > 0)?.records[0];
    stage.fail(A);
    // The third round in a row is the first that a region may call it unhealthy after; only that one gets through.
    const [first, ...others] = Array.from({ length: 3 }, () => stage.probers.round(REGIONS_3)).at(-1) ?? [];
    if (first === undefined) throw new Error("no report");
    await stage.rpc.report(first);
    await watcher.until(() => newest()?.regions.some(({ unhealthy }) => unhealthy === 1) === true);
    expect(newest()).toMatchObject({ rootHost: HOST, state: "Warning", leaves: [{ leaf: A, published: true }, {}] });
    for (const report of others) await stage.rpc.report(report);
    await watcher.until(() => newest()?.state === "Degraded");
    expect(newest()?.leaves[0]).toMatchObject({ leaf: A, published: false, reason: "UnhealthyWithheld" });
    await watcher.until(({ events }) => events.some(({ type }) => type === "DecisionChanged"));
    await stage.put([], 2);
    await watcher.until(({ messages }) => messages.some(({ removed }) => removed.includes(HOST)));
  });

  it("says nothing while nothing changes, and stores no row for those who watch", async () => {
    const stage = await Stage.begin();
    const rows = () =>
      runInDurableObject(
        stage.stub,
        (_, { storage }) => storage.sql.exec<{ n: number }>("SELECT total_changes() AS n").one().n,
      );
    const roundsCost = async () => {
      const before = await rows();
      for (let count = 0; count < 3; count += 1) await stage.round();
      return (await rows()) - before;
    };
    const unwatched = await roundsCost();
    const watcher = await stage.watch();
    await stage.settled(watcher);
    const { length } = watcher.messages;
    expect(await roundsCost()).toBe(unwatched);
    await stage.settled(watcher);
    expect(watcher.messages.length).toBe(length + 1);
  });

  it("tells all that happens at once in one message", async () => {
    const stage = await Stage.begin();
    const watcher = await stage.watch();
    await runInDurableObject(stage.stub, async (object) => {
      const coordinator = object as unknown as CoordinatorRpc;
      for (let count = 0; count < 20; count += 1) {
        await coordinator.noteEvent({ type: "DuplicateAgent", cluster: "east", message: `${count}` });
      }
    });
    await watcher.until(({ events }) => events.length === 20);
    expect(watcher.messages).toHaveLength(2);
  });
});

describe("a stream that was away", () => {
  it("goes on where it was, with nothing missing and nothing double", async () => {
    const stage = await Stage.begin();
    const first = await stage.watch(0);
    stage.fail(A);
    for (let count = 0; count < 2; count += 1) await stage.round();
    await stage.settled(first);
    first.socket.close(1000);
    for (let count = 0; count < 2; count += 1) await stage.round();
    await stage.sleep();
    const second = await stage.watch(first.lastEventId);
    await stage.settled(second);
    await expectWhole(stage, [first, second]);
  });

  it("is told of more than a page of events in several messages, in order", async () => {
    const stage = await Stage.begin();
    const before = (await stage.watch()).lastEventId;
    await runInDurableObject(stage.stub, (_, { storage }) => {
      const value = JSON.stringify({ at: 1, type: "VerdictChanged", message: "x" });
      for (let count = 0; count < 1_200; count += 1) storage.sql.exec("INSERT INTO events (value) VALUES (?)", value);
    });
    const watcher = await stage.watch(before);
    await watcher.until(({ events }) => events.length === 1_200);
    expect(watcher.messages.map(({ events }) => events.length)).toEqual([500, 500, 200]);
    const ids = watcher.events.map(({ id }) => id);
    expect(ids).toEqual(Array.from({ length: 1_200 }, (_, index) => before + 1 + index));
    expect(watcher.lastEventId).toBe(ids.at(-1));
  });

  it("gets the whole log where the one that it knew is lost", async () => {
    const stage = await Stage.begin();
    const watcher = await stage.watch(1_000_000);
    await expectWhole(stage, [watcher]);
  });
});

describe("a coordinator that sleeps", () => {
  it("keeps its sockets, and goes on with nothing missing and nothing double", async () => {
    const stage = await Stage.begin();
    const watcher = await stage.watch(0);
    await stage.note("before");
    await watcher.until(({ events }) => events.some(({ message }) => message === "before"));
    for (let count = 0; count < 3; count += 1) {
      await stage.sleep();
      stage.fail(count === 1 ? B : A);
      for (let round = 0; round < 3; round += 1) await stage.round();
      await stage.settled(watcher);
      await expectWhole(stage, [watcher]);
    }
    expect(watcher.closed).toBeUndefined();
    expect(new Set(watcher.hosts)).toEqual(new Set([HOST]));
  });

  it("answers pings without waking", async () => {
    const stage = await Stage.begin();
    const watcher = await stage.watch();
    await evictDurableObject(stage.stub);
    watcher.socket.send("ping");
    await watcher.until(({ texts }) => texts.includes("pong"));
    await expect(evictDurableObject(stage.stub)).rejects.toThrow("not currently running");
  });
});

describe("a socket", () => {
  it("that is broken is dropped, and holds up no other", async () => {
    const stage = await Stage.begin();
    await stage.watch();
    await runInDurableObject(stage.stub, (_, ctx) => {
      for (const socket of ctx.getWebSockets()) {
        socket.send = () => {
          throw new Error("broken");
        };
      }
    });
    const sound = await stage.watch();
    await stage.settled(sound);
    const open = await runInDurableObject(stage.stub, (_, ctx) =>
      ctx.getWebSockets().filter(({ readyState }) => readyState === WebSocket.OPEN),
    );
    expect(open).toHaveLength(1);
  });

  it("that sends anything but pings is closed", async () => {
    const stage = await Stage.begin();
    const watcher = await stage.watch();
    watcher.socket.send("{}");
    await watcher.until(({ closed }) => closed !== undefined);
    expect(watcher.closed).toMatchObject({ code: 1008, reason: expect.stringContaining("ping") });
  });
});

it("a call holds, whatever becomes of telling it to those who watch", () => {
  const logged = vi.spyOn(console, "error").mockImplementation(() => {});
  const broken = { count: 1 } as Sockets;
  const lastEventId = () => {
    throw new Error("the log is gone");
  };
  const stream = new LiveStream(broken, { lastEventId } as unknown as LiveSource, () => {});
  expect(() => stream.changed([])).not.toThrow();
  expect(logged.mock.calls.flat()).toEqual([expect.objectContaining({ error: "the log is gone" })]);
  logged.mockRestore();
});
