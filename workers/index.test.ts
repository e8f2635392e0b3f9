import {
  createExecutionContext,
  createScheduledController,
  listDurableObjectIds,
  runInDurableObject,
} from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { clusterOf, type Env } from "./env.ts";
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
    "A setting is wrong, and the edge goes on without it: NOTIFICATIONS: must be JSON, a list of targets.",
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
