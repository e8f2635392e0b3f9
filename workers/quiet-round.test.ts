import { createScheduledController, listDurableObjectIds, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, inject, it, vi } from "vitest";
import type { SnapshotRecordInput } from "../shared/model/messages/snapshot.ts";
import { signedSnapshot } from "../test/support/cluster.ts";
import { clusterOf, coordinatorOf, type Env } from "./env.ts";
import worker from "./index.ts";

const bindings = env as unknown as Env;
const { named } = inject("gateways");
const CLUSTER = "quiet";
const HOST = "quiet.example.com";
const LEVELS = ["debug", "log", "info", "warn", "error"] as const;

const record: SnapshotRecordInput = {
  namespace: "shop",
  name: "quiet",
  spec: {
    rootHost: HOST,
    endpoints: [{ dnsName: HOST, recordType: "A", targets: ["127.0.0.1"] }],
    // No alarm comes by itself while the test runs.
    healthCheck: {
      protocol: "HTTP",
      port: named.good,
      interval: "30m",
      successThreshold: 1,
      regions: ["weur", "enam"],
    },
  },
};

async function round(): Promise<void> {
  for (const namespace of [bindings.PROBER, bindings.CLUSTER]) {
    for (const id of await listDurableObjectIds(namespace)) await runDurableObjectAlarm(namespace.get(id));
  }
  await worker.scheduled(createScheduledController(), bindings, {} as ExecutionContext);
}

const completed = async () => {
  const probe = await coordinatorOf(bindings, 0).readProbe(`${CLUSTER}/shop/quiet/127.0.0.1`);
  return probe?.verdict === "Healthy" && probe.regions.every(({ counts }) => counts.successes > 0);
};

// Every line is billed, and an edge that says nothing while all is well is one whose lines are read.
it("a round in which all is well logs nothing: no prober, no coordinator, no cluster, no cron", async () => {
  const webhookUrl = `${inject("receivers")}/hook/${CLUSTER}`;
  const registered = await clusterOf(bindings, CLUSTER).register({ cluster: CLUSTER, hosts: [HOST], webhookUrl });
  if (!registered.ok) throw new Error(registered.problem.title);
  await clusterOf(bindings, CLUSTER).putSnapshot(signedSnapshot(registered.secret, [record]));
  await vi.waitFor(async () => expect(await listDurableObjectIds(bindings.PROBER)).toHaveLength(2));
  await round();
  await vi.waitFor(async () => expect(await completed()).toBe(true));
  const spies = LEVELS.map((level) => vi.spyOn(console, level));
  await round();
  await round();
  expect(await completed()).toBe(true);
  expect(spies.flatMap(({ mock }) => mock.calls)).toEqual([]);
});
