import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { DNS_RECORD } from "../../agent/kubernetes/kinds.ts";
import type { DnsRecordStatus } from "../../shared/model/dns-record.ts";
import { delivery } from "../support/agent/delivered.ts";
import { FaultyProxy } from "./machinery/faulty-proxy.ts";
import { configOf } from "./support/cluster.ts";
import { decision, Fed, hostOf } from "./support/fed.ts";
import { Published } from "./support/published.ts";
import type { TestReplica } from "./support/replica.ts";
import { sharedCluster } from "./support/shared.ts";
import { until } from "./support/world.ts";

const cluster = sharedCluster();
const [A, B] = ["127.0.0.164", "127.0.0.165"] as const;
const NAMES = ["first", "second"] as const;
const TAKES_OVER_WITHIN_MS = 20_000;

/** Two records, and two replicas of which the one that leads reaches the API server through a proxy. */
async function start(settings: Readonly<Record<string, string>> = {}) {
  await using opened = new AsyncDisposableStack();
  const fed = await Fed.start(cluster, { LEADER_LEASE: "4s", ...settings });
  const proxy = new FaultyProxy(configOf(await cluster.kubeconfigFor("vedette-system", "vedette-agent")));
  const config = await proxy.start();
  opened.defer(() => proxy.stop());
  const kubeconfig = join(cluster.access.folder, "crash.kubeconfig");
  writeFileSync(kubeconfig, config.exportConfig());
  opened.use(fed);
  const leader = await fed.add({ kubeconfig });
  await fed.leader();
  const other = await fed.add();
  await until("the other to be ready", () => other.isReady());
  const namespace = await cluster.freshNamespace("crash");
  const published = new Published(cluster, namespace);
  opened.defer(() => published.stop());
  for (const name of NAMES) await fed.make(namespace, name, [A, B]);
  const parts = opened.move();
  const close = () => parts.disposeAsync();
  return { proxy, fed, leader, other, namespace, published, [Symbol.asyncDispose]: close };
}

type World = Awaited<ReturnType<typeof start>>;

const decide = ({ fed, namespace }: World, n: number, addresses: string[], unhealthy: string[]) => {
  const decidedAt = Date.now();
  const records = NAMES.map((name) => ({ ...decision(namespace, name, addresses, unhealthy), decidedAt }));
  return (port: number) => fed.edge.deliver(port, delivery(fed.number(n), records, Date.now()));
};

const statusOf = async ({ fed, namespace }: World, name: string) =>
  (await fed.get(DNS_RECORD, namespace, name))?.status as DnsRecordStatus | undefined;

const shown = async (world: World, name: string) =>
  (await statusOf(world, name))?.published?.flatMap(({ targets }) => targets).join(" ");

const untilPublished = ({ namespace, published }: World, addresses: string, limitMs?: number) =>
  until(
    `${addresses} to be published`,
    () => NAMES.every((name) => published.targets(hostOf(namespace, name)) === addresses),
    limitMs,
  );

/** Resolves when the next leader has settled, and its edge has only taken what it pushed. */
async function takeOver(world: World, killed: TestReplica, other: TestReplica): Promise<void> {
  const pushed = world.fed.edge.snapshots.length;
  await killed.stop("SIGKILL");
  world.fed.replicas.splice(world.fed.replicas.indexOf(killed), 1);
  await until("the other to lead", () => other.isLeader(), TAKES_OVER_WITHIN_MS);
  await until("it to have settled", () => world.fed.edge.snapshots.length > pushed);
}

const CUTS = {
  "before any status": (url: string) => url.includes("/dnsrecords/"),
  "before one of two statuses": (url: string) => url.includes("/dnsrecords/first/status"),
  "before the Lease": (url: string) => url.includes("/leases/vedette-here-edge"),
};

test.each(Object.keys(CUTS) as (keyof typeof CUTS)[])(
  "a leader is killed after the DNSEndpoints and %s: what they held before never comes back",
  async (cut) => {
    await using world = await start();
    const { proxy, fed, leader, other, namespace, published } = world;
    expect((await decide(world, 1, [A, B], [])(leader.webhookPort)).status).toBe(200);
    await untilPublished(world, `${A} ${B}`);
    const marks = NAMES.map((name) => published.mark(hostOf(namespace, name)));
    proxy.faultFor = ({ url }) => (CUTS[cut](url) ? "hanging" : undefined);
    const deliver = decide(world, 2, [B], [A]);
    const cutOff = deliver(leader.webhookPort).catch(() => undefined);
    await untilPublished(world, B);
    if (cut !== "before the Lease") await until("the number to be stored", async () => (await fed.stored()).n === 2);
    if (cut === "before one of two statuses") await until("a status", async () => (await shown(world, "second")) === B);
    await takeOver(world, leader, other);
    await cutOff;
    for (const name of NAMES) await until(`the status of ${name}`, async () => (await shown(world, name)) === B);
    expect((await deliver(other.webhookPort)).status).toBe(200);
    expect((await statusOf(world, "first"))?.decision?.leaves).toMatchObject([{ leaf: B }, { leaf: A }]);
    expect((await decide(world, 3, [A, B], [])(other.webhookPort)).status).toBe(200);
    await untilPublished(world, `${A} ${B}`);
    const seen = NAMES.map((name, index) => published.since(hostOf(namespace, name), marks[index] ?? 0));
    console.log(`killed ${cut}: published ${seen.map((one) => one.join(" | ")).join("; ")}`);
    for (const one of seen) expect(one).toEqual([`${A} ${B}`, B, `${A} ${B}`]);
  },
);

test("the leader that hears of the edge after a silence is killed before the Lease says so: not all is published again", async () => {
  await using world = await start({ EDGE_STALE_AFTER: "30s" });
  const { proxy, leader, other, namespace, published } = world;
  expect((await decide(world, 1, [B], [A])(leader.webhookPort)).status).toBe(200);
  await untilPublished(world, B);
  await untilPublished(world, `${A} ${B}`, 60_000);
  const marks = NAMES.map((name) => published.mark(hostOf(namespace, name)));
  for (const name of NAMES)
    await until("the silence to be shown", async () => (await shown(world, name)) === `${A} ${B}`);
  proxy.faultFor = ({ url }) => (CUTS["before the Lease"](url) ? "hanging" : undefined);
  const deliver = decide(world, 2, [A], [B]);
  const cutOff = deliver(leader.webhookPort).catch(() => undefined);
  await untilPublished(world, A);
  await takeOver(world, leader, other);
  await cutOff;
  for (const name of NAMES) await until(`the status of ${name}`, async () => (await shown(world, name)) === A);
  expect((await deliver(other.webhookPort)).status).toBe(200);
  const seen = NAMES.map((name, index) => published.since(hostOf(namespace, name), marks[index] ?? 0));
  for (const one of seen) expect(one).toEqual([`${A} ${B}`, A]);
});
