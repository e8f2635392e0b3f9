import { afterAll, beforeAll, expect, test } from "vitest";
import { KubeClient } from "../../agent/kubernetes/client.ts";
import { GATEWAY } from "../../agent/kubernetes/kinds.ts";
import type { RegionView } from "../../shared/model/region-view.ts";
import { phaseMs } from "../../workers/prober/schedule/round-schedule.ts";
import { type Doh, startDoh } from "../e2e/support/doh.ts";
import { freePort } from "../support/free-port.ts";
import { addressOf, gateway as gatewayObject, type ListenerShort, policy } from "../support/gateways.ts";
import { ApiCalls, tally } from "./support/api-calls.ts";
import { type ControlPlane, startControlPlane } from "./support/control-plane.ts";
import { type CountingGateway, mostAtOnce, type SeenProbe, startCountingGateway } from "./support/counting-gateway.ts";
import { installCrds } from "./support/crds.ts";
import { ClusterWorld, until } from "./support/world.ts";

const LISTENERS = 64;
const HOSTS = ["a.lb.test", "b.lb.test"] as const;
const ADDRESSES = ["127.0.0.171", "127.0.0.172"] as const;
const REGIONS = ["apac", "enam", "weur"] as const;
const PROBES = LISTENERS * ADDRESSES.length;
/** With an interval of 9 s the rounds of five shards begin at least 0.75 s apart, and so can be distinguished. */
const INTERVAL_MS = 9_000;
const MAX_SHARD_PROBES = 30;
const SHARDS = Math.ceil(PROBES / MAX_SHARD_PROBES);
const ROUNDS = 4;
const FAILURE_THRESHOLD = 1;
/** What the platform lets an object have under way at once. */
const MAX_CONNECTIONS = 6;
const THINKING_MS = 20;

const opened = new AsyncDisposableStack();
let plane: ControlPlane;
let doh: Doh;
let world: ClusterWorld;
let namespace: string;
let port: number;
const gateways: CountingGateway[] = [];

beforeAll(async () => {
  plane = opened.adopt(await startControlPlane(), (one) => one.stop());
  await installCrds(plane);
  doh = opened.adopt(await startDoh(), (one) => one.stop());
  port = await freePort();
  for (const [index, address] of ADDRESSES.entries()) {
    doh.set(HOSTS[index]!, [address]);
    gateways.push(opened.adopt(await startCountingGateway(address, port, THINKING_MS), (one) => one.stop()));
  }
  world = await ClusterWorld.start(plane, { hosts: ["*.load.test"], edgeSettings: { RESOLVER_URL: doh.url } });
  opened.defer(() => world.stop());
  namespace = await plane.freshNamespace("load");
});
afterAll(() => opened.disposeAsync());

const seen = (): SeenProbe[] => gateways.flatMap((one) => one.seen);

interface Endpoint {
  metadata: { name: string };
  spec: { endpoints: { targets: string[] }[] };
}

async function published(): Promise<string[]> {
  const endpoints = await world.list<Endpoint>("dnsendpoints", namespace);
  return endpoints.map(({ spec }) => spec.endpoints.flatMap(({ targets }) => targets).join(" "));
}

const allPublish = (hosts: string) => async () => {
  const all = await published();
  return all.length === LISTENERS && all.every((one) => one === hosts);
};

async function applyGateway(): Promise<void> {
  const names = Array.from({ length: LISTENERS }, (_, n): ListenerShort => [`l${n}`, `h${n}.load.test`, "HTTP", port]);
  const { spec } = gatewayObject("web", { listeners: names });
  const healthCheck = {
    interval: `${INTERVAL_MS / 1_000}s`,
    timeout: "4s",
    failureThreshold: FAILURE_THRESHOLD,
    regions: REGIONS,
  };
  const { apiVersion, kind, spec: policySpec } = policy("all", "web", { weight: 120, healthCheck });
  const metadata = { name: "web", namespace };
  await world.apply(
    { apiVersion, kind, metadata: { name: "all", namespace }, spec: policySpec },
    { apiVersion: GATEWAY.apiVersion, kind: GATEWAY.kind, metadata, spec },
  );
  const status = { addresses: HOSTS.map(addressOf) };
  const object = { apiVersion: GATEWAY.apiVersion, kind: GATEWAY.kind, metadata, status };
  await new KubeClient(plane.config).apply(GATEWAY, object, { fieldManager: "gateways", subresource: "status" });
}

/** When the rounds of each shard begin in a region, in ms after the beginning of an interval. */
function phasesIn(region: (typeof REGIONS)[number]): number[] {
  const shard = { region, partition: 0, intervalMs: INTERVAL_MS, regions: [...REGIONS] };
  return Array.from({ length: SHARDS }, (_, n) => phaseMs({ ...shard, n }));
}

/** The shard of a probe, known by when it is checked: in the round that began last, in most intervals. */
function shardOf(probes: readonly SeenProbe[], phases: readonly number[]): number {
  const votes = phases.map(() => 0);
  for (const { openedAt } of probes) {
    const ago = phases.map((phase) => (openedAt - phase) % INTERVAL_MS);
    votes[ago.indexOf(Math.min(...ago))]! += 1;
  }
  return votes.indexOf(Math.max(...votes));
}

/** What one prober object asked: the probes of a shard in a region, by host and address. */
interface ObjectSeen {
  name: string;
  phase: number;
  probes: Map<string, SeenProbe[]>;
}

function objectsIn(probes: readonly SeenProbe[]): ObjectSeen[] {
  return REGIONS.flatMap((region) => {
    const phases = phasesIn(region);
    const byProbe = Map.groupBy(
      probes.filter((probe) => probe.region === region),
      ({ host, address }) => `${host} ${address}`,
    );
    const byShard = Map.groupBy(byProbe, ([, asked]) => shardOf(asked, phases));
    return [...byShard].map(([n, members]) => ({
      name: `${region}/${n}`,
      phase: phases[n]!,
      probes: new Map(members),
    }));
  });
}

/** How often each probe was asked in each of the rounds that began after a moment, where that is not once. */
function notOnce({ name, phase, probes }: ObjectSeen, afterMs: number): string[] {
  const roundAt = (at: number) => Math.floor((at - phase) / INTERVAL_MS);
  const first = roundAt(afterMs) + 1;
  const rounds = Array.from({ length: ROUNDS }, (_, round) => round);
  return [...probes].flatMap(([probe, asked]) =>
    rounds.flatMap((round) => {
      const times = asked.filter(({ openedAt }) => roundAt(openedAt) === first + round).length;
      return times === 1 ? [] : [`${name} asked ${probe} ${times} times in round ${round}`];
    }),
  );
}

test("a Gateway of 64 listeners and two host names has 64 records and 128 probes", async ({ onTestFailed }) => {
  onTestFailed(() => console.log(world.replicas[0]!.log.slice(-3_000), world.edge.log().slice(-2_000)));
  await applyGateway();
  await until("both host names published by all", allPublish(HOSTS.join(" ")));
  const healthy = async () => {
    const records = await world.list<{ status?: { conditions: { type: string; reason: string }[] } }>(
      "dnsrecords",
      namespace,
    );
    const isHealthy = records.filter(({ status }) =>
      status?.conditions.some(({ type, reason }) => type === "Healthy" && reason === "Healthy"),
    );
    return records.length === LISTENERS && isHealthy.length === LISTENERS;
  };
  await until("64 records to be healthy", healthy);
  expect(await world.list("dnshealthcheckprobes", namespace)).toHaveLength(PROBES);
  expect(new Set(seen().map(({ host, address }) => `${host} ${address}`)).size).toBe(PROBES);
  const { regions } = (await world.edge.read("/v1/regions")) as { regions: RegionView[] };
  expect(regions.map(({ region, shards, probes }) => ({ region, shards, probes }))).toEqual(
    REGIONS.map((region) => ({ region, shards: SHARDS, probes: PROBES })),
  );
  const resolved = doh.asked.length;
  console.log(
    `load: ${LISTENERS} records, ${PROBES} probes, ${SHARDS} shards in each of ${REGIONS.length} regions; ${resolved} DNS questions so far`,
  );
});

test("every probe runs in every interval from every region, once, and no object has more than 6 connections", async () => {
  const from = Date.now();
  const end = from + (ROUNDS + 2) * INTERVAL_MS;
  await until("the intervals to pass", () => Date.now() >= end, 2 * (end - from));
  const objects = objectsIn(seen().filter(({ openedAt }) => openedAt >= from));
  const perObject = objects.map(({ name, probes }) => {
    const all = [...probes.values()].flat();
    return {
      name,
      members: probes.size,
      unanswered: mostAtOnce(all.map(({ openedAt, answeredAt }) => [openedAt, answeredAt])),
      open: mostAtOnce(all.map(({ openedAt, closedAt }) => [openedAt, closedAt])),
    };
  });
  console.log(
    `load: ${ROUNDS} intervals of ${PROBES} probes from ${REGIONS.length} regions; most connections at once by prober object:\n${perObject
      .map((one) => `  ${one.name}: ${one.members} probes, ${one.unanswered} without an answer, ${one.open} open`)
      .join("\n")}`,
  );
  const members = objects.flatMap(({ probes }) => [...probes.keys()]);
  expect(members).toHaveLength(PROBES * REGIONS.length);
  expect(objects.flatMap((one) => notOnce(one, from))).toEqual([]);
  expect(Math.max(...perObject.map(({ unanswered }) => unanswered))).toBeLessThanOrEqual(MAX_CONNECTIONS);
});

test("when one address dies all 64 records lose its host name, with few writes", async () => {
  const from = Date.now();
  await gateways[0]!.stop();
  await until("the host name of the dead address to be withdrawn by all", allPublish(HOSTS[1]));
  await until("the statuses to be written", async () => {
    const probes = await world.list<{ status?: { healthy?: boolean } }>("dnshealthcheckprobes", namespace);
    return probes.filter(({ status }) => status?.healthy === false).length === LISTENERS;
  });
  const calls = ApiCalls.between(plane, from);
  console.log(
    "load: API writes when the address died:",
    tally(calls.ownWrites),
    "election:",
    calls.electionWrites.length,
  );
  const counts = tally(calls.ownWrites);
  // A record says each count of its probe, and of a probe each count of each region, up to the one that turns it.
  const COUNTS = FAILURE_THRESHOLD + 1;
  expect(counts["patch dnsendpoints"]).toBe(LISTENERS);
  expect(counts["patch dnsrecords/status"]).toBeLessThanOrEqual((COUNTS + 1) * LISTENERS);
  expect(counts["patch dnshealthcheckprobes/status"]).toBeLessThanOrEqual(REGIONS.length * COUNTS * LISTENERS);
  expect(calls.refused).toEqual([]);
});
