import {
  createExecutionContext,
  createScheduledController,
  listDurableObjectIds,
  runInDurableObject,
} from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { NO_USAGE, type Usage } from "../shared/model/usage.ts";
import { clusterOf, coordinatorOf, type Env } from "./env.ts";
import worker from "./index.ts";

const bindings = env as unknown as Env;

it("cron finds a cluster that lost its alarm, and creates no object", async () => {
  await clusterOf(bindings, "watched").register({ cluster: "watched", hosts: ["example.com"] });
  const stub = bindings.CLUSTER.getByName("watched");
  await runInDurableObject(stub, (_, state) => state.storage.deleteAlarm());
  const count = async () => (await listDurableObjectIds(bindings.CLUSTER)).length;
  const before = await count();
  await worker.scheduled(createScheduledController(), bindings, createExecutionContext());
  await expect
    .poll(() => runInDurableObject(stub, (_, state) => state.storage.getAlarm()))
    .toBeGreaterThan(Date.now() - 60_000);
  expect(await count()).toBe(before);
});

it("cron goes on when the coordinator cannot be reached", async () => {
  const logged = vi.spyOn(console, "error").mockImplementation(() => {});
  const broken = { getByName: () => ({}) };
  const settings = { ...bindings, COORDINATOR: broken, PARTITIONS: "2" } as unknown as Env;
  await worker.scheduled(createScheduledController(), settings, createExecutionContext());
  expect(logged).toHaveBeenCalledTimes(3);
  logged.mockRestore();
});

it("cron brings what the objects of clusters have used to the coordinator, where it is counted once", async () => {
  await clusterOf(bindings, "counted").register({ cluster: "counted", hosts: ["example.com"] });
  const requests = async () => (await coordinatorOf(bindings, 0).usage())?.days.today.clusters.requests ?? 0;
  const clusters = (await coordinatorOf(bindings, 0).listClusters()).length;
  await worker.scheduled(createScheduledController(), bindings, createExecutionContext());
  const before = await requests();
  await worker.scheduled(createScheduledController(), bindings, createExecutionContext());
  expect((await requests()) - before).toBe(clusters);
});

it("cron wakes the first coordinator last, with what clusters said, also where one of them hangs, throws or is of an earlier release", async () => {
  const logged = vi.spyOn(console, "error").mockImplementation(() => {});
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const calls: unknown[] = [];
  const COORDINATOR = {
    getByName: (name: string) => ({
      listClusters: async () => ["new", "old", "throwing", "hanging"],
      heartbeat: async (used?: Usage) => calls.push([name, used?.requests]),
    }),
  };
  const hanging = Promise.withResolvers<undefined>();
  const beats: Record<string, () => Promise<Usage | undefined>> = {
    new: async () => ({ ...NO_USAGE, requests: 3 }),
    old: async () => undefined,
    throwing: () => {
      throw new Error("network connection lost");
    },
    hanging: () => hanging.promise,
  };
  const CLUSTER = { getByName: (name: string) => ({ heartbeat: () => beats[name]?.() }) };
  const settings = { ...bindings, COORDINATOR, CLUSTER, PARTITIONS: "2" } as unknown as Env;
  const scheduled = () => worker.scheduled(createScheduledController(), settings, createExecutionContext());
  const first = scheduled();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(calls).toEqual([
    ["1", undefined],
    ["0", 3],
  ]);
  hanging.resolve(undefined);
  await first;
  await scheduled();
  expect(calls.slice(2)).toEqual([
    ["1", undefined],
    ["0", 3],
  ]);
  expect(new Set(logged.mock.calls.flat())).toEqual(new Set(["The heartbeat of 1 of 4 clusters failed."]));
  logged.mockRestore();
  vi.useRealTimers();
});

it("cron goes on, and says so, where a setting is wrong that only says who is told", async () => {
  const logged = vi.spyOn(console, "error").mockImplementation(() => {});
  const beaten: string[] = [];
  const COORDINATOR = {
    getByName: (name: string) => ({ heartbeat: async () => beaten.push(name), listClusters: async () => [] }),
  };
  const settings = { ...bindings, COORDINATOR, NOTIFICATIONS: "canary" } as unknown as Env;
  await worker.scheduled(createScheduledController(), settings, createExecutionContext());
  expect(beaten).toEqual(["0"]);
  expect(logged.mock.calls.flat()).toEqual([
    "A setting is invalid, and the edge continues without it: NOTIFICATIONS: must be JSON, a list of targets.",
  ]);
  logged.mockRestore();
});

it("cron wakes the notifier where somebody is to be told, and none where nobody is", async () => {
  const logged = vi.spyOn(console, "error").mockImplementation(() => {});
  const woken: string[] = [];
  const heartbeat = async () => {
    woken.push("notifier");
    throw new Error("network connection lost");
  };
  const NOTIFIER = { getByName: () => ({ heartbeat }) };
  const NOTIFICATIONS = JSON.stringify([{ name: "ops", kind: "slack", url: "https://chat.example.com/x" }]);
  for (const more of [{}, { NOTIFICATIONS }]) {
    const settings = { ...bindings, NOTIFIER, ...more } as unknown as Env;
    await worker.scheduled(createScheduledController(), settings, createExecutionContext());
  }
  expect(woken).toEqual(["notifier"]);
  expect(logged.mock.calls.map(([text]) => text)).toEqual(["The heartbeat of the notifier failed:"]);
  logged.mockRestore();
});
