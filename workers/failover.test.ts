import { evictDurableObject, listDurableObjectIds, reset, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, inject, it, vi } from "vitest";
import type { Delivery } from "../shared/model/messages/delivery.ts";
import type { SnapshotRecordInput } from "../shared/model/messages/snapshot.ts";
import type { ProbeStatus } from "../shared/model/status.ts";
import { signedSnapshot } from "../test/support/cluster.ts";
import { startSwitchedGateway } from "../test/support/own-gateway.ts";
import { clusterOf, coordinatorOf, type Env } from "./env.ts";

const bindings = env as unknown as Env;
const { port, answerWith } = await startSwitchedGateway();
const receivers = inject("receivers");
const HOST = "way.example.com";
const [A, B] = ["127.0.0.1", "127.0.0.2"];

const record: SnapshotRecordInput = {
  namespace: "shop",
  name: "way",
  spec: {
    rootHost: HOST,
    endpoints: [{ dnsName: HOST, recordType: "A", targets: [A, B] }],
    healthCheck: {
      protocol: "HTTP",
      port,
      // No alarm comes by itself while the test runs.
      interval: "30m",
      failureThreshold: 2,
      successThreshold: 2,
      regions: ["weur", "enam", "apac"],
    },
  },
};

/** Every object that there is loses its memory. */
async function evictAll(): Promise<void> {
  for (const namespace of [bindings.PROBER, bindings.COORDINATOR, bindings.CLUSTER]) {
    for (const id of await listDurableObjectIds(namespace)) {
      await evictDurableObject(namespace.get(id)).catch((error: unknown) => {
        if (!String(error).includes("not currently running")) throw error;
      });
    }
  }
}

/** The agent's last delivery, and the state of A's probe. */
async function look(cluster: string) {
  const { received } = await (await fetch(`${receivers}/control/${cluster}`)).json<{ received: { body: string }[] }>();
  const newest = received.map(({ body }): Delivery => JSON.parse(body)).findLast(({ kind }) => kind === "Full");
  const delivered = newest?.kind === "Full" ? newest.records[0] : undefined;
  const probe = await coordinatorOf(bindings, 0).readProbe(`${cluster}/shop/way/${A}`);
  return {
    targets: delivered?.endpoints[0]?.targets,
    told: delivered?.probes.find(({ leaf }) => leaf === A)?.verdict,
    verdict: probe?.verdict,
    words: wordsOf(probe),
  };
}

/** Counts are stored up to the thresholds: beyond those they say nothing, and are exact in memory only. */
const wordsOf = (probe: ProbeStatus | undefined) =>
  probe?.regions.map(({ region, counts: { failures, successes, says } }) => [
    region,
    Math.min(failures, probe.failureThreshold + 1),
    Math.min(successes, probe.successThreshold),
    says,
  ]);

/** One failover of real objects, each alarm run when the one before is done; gives what was seen after each round. */
async function failover(cluster: string, between: () => Promise<void>) {
  const views: Awaited<ReturnType<typeof look>>[] = [];
  const round = async (targets: string[], verdict: string) => {
    for (const id of await listDurableObjectIds(bindings.PROBER)) {
      await runDurableObjectAlarm(bindings.PROBER.get(id));
      await between();
    }
    await vi.waitFor(async () => expect(await look(cluster)).toMatchObject({ targets, told: verdict, verdict }), {
      timeout: 15_000,
      interval: 100,
    });
    await between();
    views.push(await look(cluster));
  };
  await answerWith(200);
  const webhookUrl = `${receivers}/hook/${cluster}`;
  const registered = await clusterOf(bindings, cluster).register({ cluster, hosts: [HOST], webhookUrl });
  if (!registered.ok) throw new Error(registered.problem.title);
  await between();
  await clusterOf(bindings, cluster).putSnapshot(signedSnapshot(registered.secret, [record]));
  await between();
  await vi.waitFor(async () => expect(await listDurableObjectIds(bindings.PROBER)).toHaveLength(3));
  await between();
  for (const id of await listDurableObjectIds(bindings.PROBER)) await runDurableObjectAlarm(bindings.PROBER.get(id));
  await between();
  await round([A, B], "Healthy");
  await answerWith(503);
  await round([A, B], "Healthy");
  await round([A, B], "Healthy");
  await round([B], "Unhealthy");
  await round([B], "Unhealthy");
  await answerWith(200);
  await round([B], "Unhealthy");
  await round([A, B], "Healthy");
  return views;
}

describe("a failover through prober, coordinator and cluster, all of them real", () => {
  it("has the same outcome and the same counts when every object is evicted between any two steps", async () => {
    const clean = await failover("clean", async () => {});
    await reset();
    const evicted = await failover("evicted", evictAll);
    expect(evicted).toEqual(clean);
    expect(clean.map(({ words }) => words?.map(([, failures]) => failures))).toEqual(
      [0, 1, 2, 3, 3, 0, 0].map((failures) => [failures, failures, failures]),
    );
  }, 120_000);
});
