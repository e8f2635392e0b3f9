import { env } from "cloudflare:workers";
import { afterEach, expect, inject, it, vi } from "vitest";
import type { Delivery } from "../shared/model/messages/delivery.ts";
import type { SnapshotRecordInput } from "../shared/model/messages/snapshot.ts";
import { signedSnapshot } from "../test/support/cluster.ts";
import { startSwitchedGateway } from "../test/support/own-gateway.ts";
import { clusterOf, coordinatorOf, type Env } from "./env.ts";

const bindings = env as unknown as Env;
const gateway = await startSwitchedGateway();
const receivers = inject("receivers");
const INTERVAL_MS = 1_000;
/** Of a call to an agent. */
const DEADLINE_MS = 10_000;
const clusters = ["hung", "fine"];

/** A leaf with scripted answers, beside one that is always healthy. */
function record(name: string): SnapshotRecordInput {
  const rootHost = `${name}.example.com`;
  return {
    namespace: "shop",
    name,
    spec: {
      rootHost,
      endpoints: [{ dnsName: rootHost, recordType: "A", targets: ["127.0.0.1", "127.0.0.2"] }],
      healthCheck: {
        protocol: "HTTP",
        port: gateway.port,
        interval: "1s",
        timeout: "900ms",
        failureThreshold: 0,
        successThreshold: 1,
        regions: ["weur"],
      },
    },
  };
}

const askedUnder = async (host: string) => (await gateway.seen()).asked[host] ?? [];

async function deliveriesTo(cluster: string): Promise<string[]> {
  const { received } = await (await fetch(`${receivers}/control/${cluster}`)).json<{ received: { body: string }[] }>();
  return received
    .map(({ body }): Delivery => JSON.parse(body))
    .flatMap((delivery) => (delivery.kind === "Full" ? [`${delivery.records[0]?.endpoints[0]?.targets}`] : []));
}

afterEach(async () => {
  for (const cluster of clusters) await clusterOf(bindings, cluster).remove();
});

it("an agent that accepts and never answers delays no probe, and not the deliveries of another", async () => {
  const startedAt = Date.now();
  await gateway.answerWith(200);
  await fetch(`${receivers}/control/hung`, { method: "PUT", body: JSON.stringify({ mode: "hang" }) });
  for (const cluster of clusters) {
    const webhookUrl = `${receivers}/hook/${cluster}`;
    const registered = await clusterOf(bindings, cluster).register({ cluster, hosts: ["*.example.com"], webhookUrl });
    if (!registered.ok) throw new Error(registered.problem.title);
    await clusterOf(bindings, cluster).putSnapshot(signedSnapshot(registered.secret, [record(cluster)]));
  }
  const untilTold = (targets: string) =>
    vi.waitFor(async () => expect((await deliveriesTo("fine")).at(-1)).toBe(targets), {
      timeout: 15_000,
      interval: 50,
    });
  await untilTold("127.0.0.1,127.0.0.2");
  await vi.waitFor(async () => expect(await deliveriesTo("hung")).not.toEqual([]), { timeout: 15_000 });
  for (let change = 0; change < 2; change += 1) {
    await gateway.answerWith(503);
    await untilTold("127.0.0.2");
    await gateway.answerWith(200);
    await untilTold("127.0.0.1,127.0.0.2");
  }
  await vi.waitFor(async () => expect((await askedUnder("hung.example.com")).length).toBeGreaterThanOrEqual(4), {
    timeout: 15_000,
  });
  // What hangs still hangs: there is one call at a time, and each is given up after its deadline only.
  expect((await deliveriesTo("hung")).length).toBeLessThanOrEqual(1 + (Date.now() - startedAt) / DEADLINE_MS);
  for (const cluster of clusters) {
    const times = await askedUnder(`${cluster}.example.com`);
    const rounds = times.map((at) => Math.round((at - (times[0] ?? 0)) / INTERVAL_MS));
    expect(rounds, cluster).toEqual(times.map((_, round) => round));
  }
  const lateMs = (await coordinatorOf(bindings, 0).listRegions()).map((region) => region.lateMs ?? 0);
  expect(Math.max(...lateMs)).toBeLessThan(INTERVAL_MS);
}, 90_000);
