import { abortAllDurableObjects, evictDurableObject, listDurableObjectIds, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import type { Report } from "../../shared/model/messages/report.ts";
import type { Decisions } from "../../shared/model/messages/shares.ts";
import { REGIONS_3, share } from "../../test/support/coordinator/bench.ts";
import { FakeProbers } from "../../test/support/coordinator/fake-probers.ts";
import type { Env } from "../env.ts";
import type { CoordinatorRpc } from "../rpc.ts";
import type { CoordinatorObject } from "./durable-object.ts";

const A = "203.0.113.10";
const B = "203.0.113.20";
const idOf = (leaf: string) => `east/shop/api/${leaf}`;
const { COORDINATOR } = env as unknown as Env;

/** The object itself, with probers and clusters that answer as the test says; doubles are put back after a restart. */
class Stage {
  readonly name = `${Math.floor(Math.random() * 1e9)}`;
  readonly probers = new FakeProbers(() => Date.now());
  readonly decided: Decisions[] = [];
  onCall: () => void = () => {};

  /** Afresh each time: one that has thrown stays broken. */
  get stub(): DurableObjectStub<CoordinatorObject> {
    return COORDINATOR.getByName(this.name) as DurableObjectStub<CoordinatorObject>;
  }

  get rpc(): CoordinatorRpc {
    return this.stub as unknown as CoordinatorRpc;
  }

  async ready(): Promise<void> {
    await runInDurableObject(this.stub, ({ dependencies }: CoordinatorObject) => {
      dependencies.assign = async (assignment) => {
        this.onCall();
        return this.probers.assign(assignment);
      };
      dependencies.decided = async (decisions) => {
        this.onCall();
        this.decided.push(structuredClone(decisions));
      };
    });
  }

  async restart(how: "evict" | "abort"): Promise<void> {
    if (how === "evict") await evictDurableObject(this.stub);
    else await abortAllDurableObjects();
    await this.ready();
  }

  async round(between: () => Promise<void>): Promise<void> {
    for (const report of this.probers.round(REGIONS_3)) {
      await this.send(report);
      await between();
    }
  }

  async send(report: Report): Promise<void> {
    const { assignment } = await this.rpc.report(report);
    if (assignment !== undefined) this.probers.assign(assignment);
  }

  async newest(): Promise<string[] | undefined> {
    const number = this.decided.at(-1)?.number ?? { epoch: 0, n: 0 };
    const word = { cluster: "east", sharesNumber: { epoch: 1, n: 0 }, decisionsNumber: number };
    const { decisions } = await this.rpc.contact(word);
    if (decisions !== undefined) this.decided.push(decisions);
    return this.decided.at(-1)?.records[0]?.endpoints[0]?.targets;
  }
}

describe("the object", () => {
  it.each([
    ["runs through", undefined],
    ["is evicted between any two calls", "evict" as const],
    ["is reset between any two calls", "abort" as const],
  ])("comes to the same outcome when it %s", async (_, how) => {
    const stage = new Stage();
    await stage.ready();
    const between = async () => {
      if (how !== undefined) await stage.restart(how);
    };
    await stage.rpc.registerCluster("east");
    await between();
    const number = { epoch: Date.now(), n: 1 };
    await stage.rpc.putShares({ version: 1, cluster: "east", number, shares: [share([A, B])] });
    await between();
    await stage.rpc.heartbeat();
    await vi.waitFor(() => expect(stage.probers.ids()).toHaveLength(6));
    for (let round = 0; round < 2; round += 1) await stage.round(between);
    expect(await stage.newest()).toEqual([A, B]);
    stage.probers.outcome = (leaf) => (leaf === A ? "ConnectFailed" : "Ok");
    for (let round = 0; round < 2; round += 1) await stage.round(between);
    expect(await stage.newest()).toEqual([A, B]);
    await stage.round(between);
    expect(await stage.newest()).toEqual([B]);
    expect((await stage.rpc.readProbe(idOf(A)))?.consecutiveFailures).toBe(3);
    await between();
    expect(await stage.newest()).toEqual([B]);
    stage.probers.outcome = () => "Ok";
    for (let round = 0; round < 2; round += 1) await stage.round(between);
    expect(await stage.newest()).toEqual([A, B]);
  });

  it("loses nothing to calls of which every third throws", async () => {
    const stage = new Stage();
    await stage.ready();
    let calls = 0;
    stage.onCall = () => {
      calls += 1;
      if (calls % 3 === 0) throw new Error("Network connection lost.");
    };
    const number = { epoch: Date.now(), n: 1 };
    await stage.rpc.registerCluster("east");
    await stage.rpc.putShares({ version: 1, cluster: "east", number, shares: [share([A, B])] });
    await vi.waitFor(async () => {
      await stage.rpc.heartbeat();
      expect(stage.probers.ids()).toHaveLength(6);
    });
    for (let round = 0; round < 2; round += 1) await stage.round(async () => {});
    await vi.waitFor(async () => {
      await stage.rpc.heartbeat();
      expect(stage.decided.at(-1)?.records[0]?.endpoints[0]?.targets).toEqual([A, B]);
    });
  });

  it("is not brought about by cron or by a reader", async () => {
    const stage = new Stage();
    const ids = await listDurableObjectIds(COORDINATOR);
    await stage.rpc.heartbeat();
    expect(await stage.rpc.listClusters()).toEqual([]);
    expect(await stage.rpc.listRecords()).toEqual([]);
    expect(await stage.rpc.readRecord("api.example.com")).toBeUndefined();
    const stored = await runInDurableObject(stage.stub, (_, { storage }) => storage.sql.databaseSize);
    expect(stored).toBeLessThanOrEqual(4_096);
    expect((await listDurableObjectIds(COORDINATOR)).length).toBeLessThanOrEqual(ids.length + 1);
  });

  it("knows its partition by its name, also after a restart", async () => {
    const stage = new Stage();
    await stage.ready();
    await stage.rpc.registerCluster("east");
    const number = { epoch: Date.now(), n: 1 };
    await stage.rpc.putShares({ version: 1, cluster: "east", number, shares: [share([A])] });
    await vi.waitFor(() => expect(stage.probers.assigned.length).toBeGreaterThan(0));
    const partition = stage.probers.assigned[0]?.shard.partition;
    expect(`${partition}`).toBe(stage.name);
    await stage.restart("evict");
    stage.decided.length = 0;
    await stage.newest();
    expect(stage.decided[0]?.partition).toBe(partition);
  });
});
