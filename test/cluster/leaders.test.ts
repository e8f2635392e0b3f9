import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Informer } from "../../agent/kubernetes/informer.ts";
import { DNS_ENDPOINT, DNS_RECORD, type Kind, LEASE } from "../../agent/kubernetes/kinds.ts";
import type { KubeObject } from "../../agent/kubernetes/object.ts";
import { contactOf } from "../../agent/status/lease-object.ts";
import { askDns } from "../../local/dns-watch.ts";
import type { DnsRecordStatus } from "../../shared/model/dns-record.ts";
import { FaultyProxy } from "./machinery/faulty-proxy.ts";
import { configOf } from "./support/cluster.ts";
import { decision, Fed, hostOf } from "./support/fed.ts";
import type { TestReplica } from "./support/replica.ts";
import { Service } from "./support/service.ts";
import { sharedCluster } from "./support/shared.ts";
import { Shop, targetsOf } from "./support/shop.ts";
import { until } from "./support/world.ts";

const cluster = sharedCluster();
const [A, B, C] = ["127.0.0.161", "127.0.0.162", "127.0.0.163"] as const;
/** One within which no Lease runs out by itself: who takes over was given it. */
const LONG = { LEADER_LEASE: "60s" };
const SHORT = { LEADER_LEASE: "4s" };
const BOTH = { PUBLISHER: "embedded,external-dns" };
const TAKES_OVER_WITHIN_MS = 45_000;

const seconds = (sinceMs: number) => `${((performance.now() - sinceMs) / 1_000).toFixed(1)} s`;
const random = (below: number) => Math.floor(Math.random() * below);
/** So that no two rounds are cut off at the same point. */
const aMoment = (ms: number) => new Promise((resolve) => setTimeout(resolve, random(ms)));

async function leaderOf(replicas: readonly TestReplica[]): Promise<TestReplica | undefined> {
  for (const replica of replicas) if (replica.process.pid !== undefined && (await replica.isLeader())) return replica;
  return undefined;
}

/** Every version of an object from now on, as `read` returns it. */
async function versions<Value>(fed: Fed, kind: Kind, namespace: string, read: (object: KubeObject) => Value) {
  const seen: Value[] = [];
  const informer = new Informer({
    client: fed.client,
    kind,
    namespace,
    resyncMs: 600_000,
    onChange: (_, after) => after && seen.push(read(after)),
    log: () => {},
  });
  informer.start();
  await until(`the ${kind.plural} to be read`, () => informer.isSynced);
  return { seen, stop: () => informer.stop() };
}

test("the leader is killed again and again while addresses break: nothing leaves DNS but by a verdict, and each change comes once", async ({
  onTestFailed,
}) => {
  const rounds = 6;
  await using service = new Service();
  const servicePort = await service.start();
  const serve = (replicas: readonly TestReplica[]) => {
    service.backends = replicas.flatMap(({ process, webhookPort }) => (process.pid === undefined ? [] : webhookPort));
  };
  await using shop = await Shop.start(cluster, {
    addresses: [A, B, C],
    replicas: 2,
    settings: SHORT,
    servicePort,
    onReplica: serve,
  });
  onTestFailed(() => shop.world.explain(shop.namespace));
  const { replicas } = shop.world;
  const mark = shop.published.length - 1;
  const took: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const leader = await until("one to lead", () => leaderOf(replicas));
    const deciding = shop.decide(1, round % 2 === 0 ? "status" : undefined);
    await aMoment(2_500);
    const killedAt = performance.now();
    await leader.process.stop("SIGKILL");
    serve(replicas);
    await until("another to lead", () => leaderOf(replicas), TAKES_OVER_WITHIN_MS);
    took.push(seconds(killedAt));
    await deciding;
    await shop.untilPublished(round % 2 === 0 ? [A, C] : [A, B, C]);
    await shop.world.add();
  }
  await shop.untilAcknowledged();
  console.log(`killed ${rounds} times, another led after ${took.join(", ")} (Lease of 4 s)`);
  console.log(`published: ${shop.published.slice(mark).join(" | ")}`);
  const whole = `${A} ${B} ${C}`;
  const expected = Array.from({ length: rounds + 1 }, (_, index) => (index % 2 === 0 ? whole : `${A} ${C}`));
  expect(shop.published.slice(mark)).toEqual(expected);
});

describe("two replicas", () => {
  async function two(settings: Readonly<Record<string, string>>) {
    const fed = await Fed.start(cluster, settings);
    const leader = await fed.add();
    await fed.leader();
    const follower = await fed.add();
    await until("the other to be ready", () => follower.isReady());
    const namespace = await cluster.freshNamespace("leaders");
    await fed.make(namespace, "shop", [A, B]);
    return { fed, leader, follower, namespace };
  }
  /** Delivers as the edge does: again until it is acknowledged. */
  const deliver = (fed: Fed, n: number, records: ReturnType<typeof decision>[], ports: readonly number[]) => {
    let tries = 0;
    return until(`${n} to be acknowledged`, async () => {
      tries += 1;
      const answer = await fed.deliver(fed.number(n), records, ports[tries % ports.length]).catch(() => undefined);
      return answer?.status === 200;
    });
  };

  test("whichever a delivery reaches, it is applied once, and both answer DNS the same", async () => {
    const { fed: one, leader, follower, namespace } = await two({ ...LONG, ...BOTH });
    await using fed = one;
    const name = hostOf(namespace, "shop");
    const dns = ({ dnsPort: port }: TestReplica) => askDns({ host: "127.0.0.1", port }, { name, type: "A" });
    for (let n = 1; n <= 10; n += 1) {
      const published = n % 3 === 0 ? [A] : [A, B];
      const { webhookPort } = n % 2 === 0 ? leader : follower;
      const answer = await fed.deliver(fed.number(n), [decision(namespace, "shop", published)], webhookPort);
      const acknowledged = { version: 1, acknowledged: fed.number(n), takes: ["Changes"] };
      expect([answer.status, await answer.json()]).toEqual([200, acknowledged]);
      expect(await fed.targets(namespace, "shop")).toBe(published.join(" "));
      expect((await dns(leader)).targets).toEqual(published);
      await until("the follower to say the same", async () => {
        return (await dns(follower)).targets.join() === published.join();
      });
    }
    const applied = (replica: TestReplica, result: string) =>
      replica.metric("vedette_agent_deliveries_total", { result });
    expect(await applied(leader, "applied")).toBe(10);
    expect(await applied(follower, "applied")).toBe(0);
    expect(await applied(follower, "forwarded")).toBe(5);
  });

  test("each is replaced in turn: another leads at once, no delivery is lost, nothing else happens in DNS", async () => {
    const { fed: one, leader, follower, namespace } = await two(LONG);
    await using fed = one;
    const watched = await versions(fed, DNS_ENDPOINT, namespace, targetsOf);
    const rolled: string[] = [];
    let n = 0;
    for (const old of [leader, follower]) {
      n += 1;
      const delivering = deliver(
        fed,
        n,
        [decision(namespace, "shop", n % 2 === 0 ? [A, B] : [A])],
        fed.replicas.map(({ webhookPort }) => webhookPort),
      );
      const endedAt = performance.now();
      await old.process.stop("SIGTERM");
      await until("another to lead", () => leaderOf(fed.replicas), TAKES_OVER_WITHIN_MS);
      rolled.push(seconds(endedAt));
      await delivering;
      await fed.add();
    }
    await watched.stop();
    console.log(`ended in order, another led after ${rolled.join(", ")} (Lease of 60 s)`);
    expect(watched.seen.filter((targets, index) => targets !== watched.seen[index - 1])).toEqual([A, `${A} ${B}`]);
  });

  test("a leader that is halted for longer than its Lease writes nothing old when it goes on", async () => {
    const { fed: one, namespace } = await two(SHORT);
    await using fed = one;
    const endpoints = await versions(fed, DNS_ENDPOINT, namespace, targetsOf);
    const statuses = await versions(fed, DNS_RECORD, namespace, ({ status }) =>
      ((status as DnsRecordStatus | undefined)?.published ?? []).flatMap(({ targets }) => targets).join(" "),
    );
    const numbers = await versions(fed, LEASE, "vedette-system", (lease) =>
      lease.metadata.name === "vedette-here-edge" ? contactOf(lease).number : undefined,
    );
    const resumed: string[] = [];
    for (let round = 0; round < 5; round += 1) {
      const halted = await fed.leader();
      const other = fed.replicas.find((replica) => replica !== halted);
      const n = round * 2 + 1;
      await fed.deliver(fed.number(n), [decision(namespace, "shop", [A, B])], halted.webhookPort);
      fed.newEpoch();
      // In flight when everything stops: a write that is outdated by then.
      const stale = fed.deliver(fed.number(n), [decision(namespace, "shop", [A], [B])], halted.webhookPort);
      await aMoment(25);
      halted.process.pause();
      await until("the other to lead", () => other?.isLeader(), TAKES_OVER_WITHIN_MS);
      await deliver(fed, n + 1, [decision(namespace, "shop", [B], [A])], [other?.webhookPort ?? 0]);
      // Each is seen by a watch of its own, which may be behind.
      await until("the status to say so", () => statuses.seen.at(-1) === B && endpoints.seen.at(-1) === B);
      const marks = [endpoints, statuses, numbers].map(({ seen }) => seen.length - 1);
      halted.process.resume();
      const answer = await stale.then(
        ({ status }) => `${status}`,
        () => "no answer",
      );
      await until("the halted one to know", async () => !(await halted.isLeader()));
      await until("the halted one to hand on", async () => {
        const { status } = await fed.deliver(
          fed.number(n + 1),
          [decision(namespace, "shop", [B], [A])],
          halted.webhookPort,
        );
        return status === 200;
      });
      const later = (watched: { seen: unknown[] }, index: number) => new Set(watched.seen.slice(marks[index]));
      resumed.push(`${answer}, ${endpoints.seen.length - (marks[0] ?? 0) - 1} further versions`);
      expect([...later(endpoints, 0)]).toEqual([B]);
      expect([...later(statuses, 1)]).toEqual([B]);
      const told = [...numbers.seen].filter((number) => number !== undefined);
      expect(told).toEqual(told.toSorted((a, b) => a.epoch - b.epoch || a.n - b.n));
      expect(await fed.targets(namespace, "shop")).toBe(B);
    }
    await Promise.all([endpoints, statuses, numbers].map((watched) => watched.stop()));
    console.log(`halted with a delivery under way; when it went on: ${resumed.join("; ")}`);
  });
});

test("before all kinds have been read a replica is not ready, takes no delivery, tells the edge nothing and writes nothing", async () => {
  await using fed = await Fed.start(cluster);
  const namespace = await cluster.freshNamespace("starting");
  const account = configOf(await cluster.kubeconfigFor("vedette-system", "vedette-agent"));
  const proxy = new FaultyProxy(account);
  const config = await proxy.start();
  try {
    const gate = Promise.withResolvers<void>();
    proxy.beforeForward = async ({ url }) => (url.includes("/dnshealthcheckprobes") ? gate.promise : undefined);
    const kubeconfig = join(cluster.access.folder, "proxied.kubeconfig");
    writeFileSync(kubeconfig, config.exportConfig());
    const replica = await fed.add({ kubeconfig });
    await until("the records to be read", () =>
      proxy.seen.some(({ isWatch, url }) => isWatch && url.includes("dnsrecords")),
    );
    const answer = await fed.deliver(fed.number(1), [decision(namespace, "shop", [A])]);
    expect(answer.status).toBe(503);
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await replica.isReady()).toBe(false);
    expect(await replica.isLeader()).toBe(false);
    const why = await fetch(`http://127.0.0.1:${replica.operationsPort}/readyz`);
    console.log(`before: ${why.status} ${(await why.text()).trim()}`);
    expect(fed.edge.requests).toEqual([]);
    expect(proxy.seen.filter(({ url }) => url.includes("fieldManager") || url.includes("/leases"))).toEqual([]);
    gate.resolve();
    await until("it to be ready", () => replica.isReady());
    await fed.leader();
    await fed.make(namespace, "shop", [A, B]);
    expect((await fed.deliver(fed.number(1), [decision(namespace, "shop", [A], [B])])).status).toBe(200);
    expect(await fed.targets(namespace, "shop")).toBe(A);
  } finally {
    await fed[Symbol.asyncDispose]();
    await proxy.stop();
  }
});
