import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { KubeClient } from "../../agent/kubernetes/client.ts";
import { DNS_ENDPOINT, DNS_RECORD, type Kind } from "../../agent/kubernetes/kinds.ts";
import { askDns } from "../../local/dns-watch.ts";
import { DnsRecorder } from "../e2e/support/dns.ts";
import { type ControlPlane, startControlPlane } from "./support/control-plane.ts";
import { installCrds } from "./support/crds.ts";
import { AGENT, HOST, Shop } from "./support/shop.ts";
import { until } from "./support/world.ts";

const A = "127.0.0.151";
const B = "127.0.0.152";
/** Five watches, the election and what is written: so many calls a second are calm, and so many at once. */
const CALLS_PER_SECOND = 4;
const CALLS_AT_ONCE = 60;

const FIGHT_MS = 20_000;
/** The fight continues until both are reported, for at most this time. */
const LONGEST_FIGHT_MS = 120_000;

interface Role {
  metadata: { resourceVersion?: string };
  rules: { resources?: string[] }[];
}

let plane: ControlPlane;
let shop: Shop;
let dns: { host: string; port: number };

const answered = async () => (await askDns(dns, { name: HOST, type: "A" })).targets.join(" ");
const settled = async () => {
  await shop.untilPublished([A, B]);
  await shop.untilAcknowledged();
};

/** Counts the agent's calls of the API server until what is returned is called. */
async function counting(what: string) {
  const before = await shop.requests();
  const startedAt = performance.now();
  const { length } = plane.auditEvents().filter(({ user }) => user === AGENT);
  return async () => {
    const now = await shop.requests();
    const seconds = (performance.now() - startedAt) / 1_000;
    const audited = plane.auditEvents().filter(({ user }) => user === AGENT).length - length;
    const all = now.all - before.all;
    const writes = now.writes - before.writes;
    const bound = CALLS_AT_ONCE + CALLS_PER_SECOND * seconds;
    console.log(
      `${what}: ${all} calls (${writes} writes; ${audited} reached the API server) in ${seconds.toFixed(0)} s; bound ${bound.toFixed(0)}`,
    );
    expect(all).toBeLessThan(bound);
  };
}

beforeAll(async () => {
  plane = await startControlPlane();
  await installCrds(plane);
  shop = await Shop.start(plane, { addresses: [A, B], settings: { PUBLISHER: "embedded,external-dns" } });
  dns = { host: "127.0.0.1", port: shop.world.replicas[0]!.dnsPort };
});
beforeEach(async ({ onTestFailed }) => {
  onTestFailed(() => shop.world.explain(shop.namespace));
  await shop.world.apply(shop.record([A, B]));
  await Promise.all([0, 1].map((index) => shop.change(index)));
  await settled();
});
afterAll(async () => {
  await shop?.[Symbol.asyncDispose]();
  await plane?.stop();
});

const OUTAGES: Record<string, { begin: () => Promise<void>; end: () => Promise<void> }> = {
  "the API server killed": { begin: () => plane.apiserver.stop("SIGKILL"), end: () => plane.apiserver.start() },
  "the API server ended": { begin: () => plane.apiserver.stop("SIGTERM"), end: () => plane.apiserver.start() },
  "the API server halted": {
    begin: async () => plane.apiserver.pause(),
    end: async () => plane.apiserver.resume(),
  },
  "etcd killed": { begin: () => plane.etcd.stop("SIGKILL"), end: () => plane.etcd.start() },
};

test.each(Object.keys(OUTAGES))(
  "%s: DNS goes on, and afterwards all is as the edge decided, each once, without haste",
  async (name) => {
    const outage = OUTAGES[name]!;
    const before = await shop.objects();
    const counted = await counting(name);
    const seen = new DnsRecorder(dns, HOST);
    await outage.begin();
    try {
      await shop.decide(0, "status");
      await until("the loss in embedded DNS", async () => (await answered()) === B);
      await shop.decide(0);
      await until("the return in embedded DNS", async () => (await answered()) === `${A} ${B}`);
      await shop.decide(1, "status");
      await until("the next loss in embedded DNS", async () => (await answered()) === A);
    } finally {
      await outage.end();
    }
    await shop.untilPublished([A]);
    await shop.untilAcknowledged();
    await counted();
    await until("the probes to say so", async () => {
      const probes = await shop.probes();
      return probes[A] === true && probes[B] === false;
    });
    expect(await shop.objects()).toEqual(before);
    await seen.stop();
    console.log(`${name}: DNS said ${seen.seen.join(" | ")}`);
    expect(seen.seen).toEqual([`${A} ${B}`, B, `${A} ${B}`, A]);
    await shop.decide(1);
    await settled();
  },
);

test("a history that is gone (410), with changes that nobody told the agent of: all is found, each once", async () => {
  const before = await shop.objects();
  const counted = await counting("410 Gone");
  const { process } = shop.world.replicas[0]!;
  const { length } = plane.auditEvents();
  process.pause();
  try {
    await plane.kubectlOk(["delete", "dnsendpoint", "shop", "-n", shop.namespace]);
    await shop.world.apply(shop.record([A]));
    await plane.apiserver.stop();
    await plane.compact();
    await plane.apiserver.start();
  } finally {
    process.resume();
  }
  await shop.untilPublished([A]);
  await until("the probe of the address that is no more to go", async () => !(B in (await shop.probes())));
  const watches = plane
    .auditEvents()
    .slice(length)
    .filter(({ user, verb }) => user === AGENT && (verb === "watch" || verb === "list"))
    .map(({ verb, resource, code }) => `${verb} ${resource} ${code}`);
  console.log(`watches and lists since: ${watches.join(", ")}`);
  await shop.world.apply(shop.record([A, B]));
  await settled();
  await counted();
  await until("both probes", async () => Object.keys(await shop.probes()).length === 2);
  expect(await shop.objects()).toEqual(before);
});

test("another writer rewrites statuses and DNSEndpoint for 20 s: few writes of ours, told once, and in the end all is ours", async () => {
  const client = new KubeClient(plane.config);
  const { replicas } = shop.world;
  const fieldManager = "somebody";
  const { length } = plane.auditEvents();
  const logged = replicas[0]!.log.length;
  const said = () =>
    replicas[0]!.log
      .slice(logged)
      .split("\n")
      .filter((line) => line.includes("changed again and again"));
  const startedAt = performance.now();
  const isOver = () => {
    const foughtMs = performance.now() - startedAt;
    return foughtMs > LONGEST_FIGHT_MS || (foughtMs > FIGHT_MS && said().length >= 2);
  };
  let theirs = 0;
  for (; !isOver(); theirs += 1) {
    const metadata = { name: "shop", namespace: shop.namespace };
    const endpoints = [{ dnsName: HOST, recordType: "A", recordTTL: 60, targets: ["203.0.113.66"] }];
    const about = ({ apiVersion, kind }: Kind) => ({ apiVersion, kind, metadata });
    await client.apply(DNS_ENDPOINT, { ...about(DNS_ENDPOINT), spec: { endpoints } }, { fieldManager, force: true });
    const status = { published: endpoints, summary: { published: "7/7" } };
    await client.apply(
      DNS_RECORD,
      { ...about(DNS_RECORD), status },
      { fieldManager, force: true, subresource: "status" },
    );
  }
  await settled();
  await until(
    "the status to be ours",
    async () => {
      const record = await shop.world.get<{
        status: { summary: { published: string }; conditions: { type: string }[] };
      }>("dnsrecord", shop.namespace, "shop");
      return record?.status.summary.published === "2/2";
    },
    90_000,
  );
  const ours = plane
    .auditEvents()
    .slice(length)
    .filter(({ user, verb }) => user === AGENT && verb === "patch");
  const of = (resource: string) => ours.filter((one) => one.resource === resource);
  const [endpoint, status] = [of("dnsendpoints").length, of("dnsrecords/status").length];
  console.log(
    `against ${theirs} writes of another each: ${endpoint} to the DNSEndpoint, ${status} to the status; log: ${said().join("\n")}`,
  );
  // What was undone waits twice as long each time; what came too late is tried a few times at once, then every few seconds.
  const seconds = (performance.now() - startedAt) / 1_000;
  for (const writes of [of("dnsendpoints"), of("dnsrecords/status")]) {
    const done = writes.filter(({ code }) => code < 300).length;
    expect(done).toBeLessThan(10);
    expect(writes.length - done).toBeLessThan(5 * done + seconds / 2);
  }
  expect(said().filter((line) => line.includes("DNSEndpoint"))).toHaveLength(1);
  expect(said().filter((line) => line.includes("DNSRecord"))).toHaveLength(1);
});

test("rights that are taken away for a while: DNS goes on, nothing shrinks, and then all is right", async () => {
  const role = JSON.parse(await plane.kubectlOk(["get", "clusterrole", "vedette-agent", "-o", "json"])) as Role;
  const without = ["dnsendpoints", "dnshealthcheckprobes"];
  const rules = role.rules.filter(({ resources = [] }) => !resources.some((one) => without.includes(one)));
  expect(rules.length).toBeLessThan(role.rules.length);
  const give = (some: Role["rules"]) =>
    plane.kubectlOk(["replace", "-f", "-"], JSON.stringify({ ...role, rules: some }));
  const before = await shop.objects();
  const counted = await counting("403");
  delete role.metadata.resourceVersion;
  await give(rules);
  try {
    // Watches that are open go on without the right.
    await plane.apiserver.stop();
    await plane.apiserver.start();
    await until("one to lead", () => shop.world.replicas[0]!.isLeader());
    await shop.decide(0, "status");
    await until("the loss in embedded DNS", async () => (await answered()) === B);
    expect(await shop.targets()).toBe(`${A} ${B}`);
    expect(await shop.objects()).toEqual(before);
    expect((await shop.world.edge.record(HOST))?.probes.map(({ leaf }) => leaf).toSorted()).toEqual([A, B]);
  } finally {
    await give(role.rules);
  }
  await shop.untilPublished([B]);
  await shop.untilAcknowledged();
  await counted();
  await shop.decide(0);
  await settled();
  expect(await shop.objects()).toEqual(before);
});
