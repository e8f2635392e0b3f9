import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { askDns } from "../../local/dns-client.ts";
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
      await until("the loss in embedded DNS", async () => (await answered()) === B, 60_000);
      await shop.decide(0);
      await until("the return in embedded DNS", async () => (await answered()) === `${A} ${B}`, 60_000);
      await shop.decide(1, "status");
      await until("the next loss in embedded DNS", async () => (await answered()) === A, 60_000);
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
