import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Gateway, startGateway } from "../../local/sample-gateways.ts";
import { freePort } from "../support/free-port.ts";
import { ApiCalls, tally } from "./support/api-calls.ts";
import { type ControlPlane, startControlPlane } from "./support/control-plane.ts";
import { installCrds } from "./support/crds.ts";
import { ClusterWorld, until } from "./support/world.ts";

const RECORDS = 30;
const REGIONS = ["apac", "enam", "weur"] as const;
const ADDRESSES = ["127.0.0.181", "127.0.0.182", "127.0.0.183"] as const;
const FLIPPING = "127.0.0.184";
const MINUTE_MS = 60_000;
const QUIET_MINUTES = 2;
const REFRESH_MS = 10_000;
const REFRESHES = 4;
const LEAST_FLIPS = 4;

const opened = new AsyncDisposableStack();
let plane: ControlPlane;
let world: ClusterWorld;
let namespace: string;
let port: number;
const gateways: Gateway[] = [];

beforeAll(async () => {
  plane = opened.adopt(await startControlPlane(), (one) => one.stop());
  await installCrds(plane);
  port = await freePort();
  for (const [number, address] of [...ADDRESSES, FLIPPING].entries())
    gateways.push(opened.adopt(await startGateway({ number, address, port }), (one) => one.stop()));
  world = await ClusterWorld.start(plane, { hosts: ["*.gentle.test"] });
  opened.defer(() => world.stop());
  namespace = await plane.freshNamespace("gentle");
  await world.apply(...Array.from({ length: RECORDS }, (_, n) => record(`r${n}`, ADDRESSES, SLOW)));
  await allRecordsAre("Healthy");
  await untilCalm();
});
afterAll(() => opened.disposeAsync());

const SLOW = { interval: "10s", timeout: "5s", failureThreshold: 1, successThreshold: 1 };
const FAST = { interval: "1s", timeout: "1s", failureThreshold: 1, successThreshold: 1, staleAfter: "30s" };

const record = (name: string, targets: readonly string[], timing: object) => ({
  apiVersion: "vedette.dev/v1alpha1",
  kind: "DNSRecord",
  metadata: { name, namespace },
  spec: {
    rootHost: `${name}.gentle.test`,
    endpoints: [{ dnsName: `${name}.gentle.test`, recordType: "A", targets }],
    healthCheck: { protocol: "HTTP", port, regions: REGIONS, ...timing },
  },
});

interface Seen {
  metadata: {
    name: string;
    generation: number;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    managedFields?: { manager: string; subresource?: string }[];
  };
  spec: object;
  status?: {
    healthy?: boolean;
    lastCheckedAt?: string;
    conditions?: { type: string; reason: string }[];
    published?: { targets: string[] }[];
  };
}

const listed = (kind: string) => world.list<Seen>(kind, namespace);
const isReason = (reason: string) => (one: Seen) =>
  one.status?.conditions?.some((condition) => condition.type === "Healthy" && condition.reason === reason) ?? false;

async function allRecordsAre(reason: string): Promise<void> {
  await until(`all records to be ${reason}`, async () => {
    const records = await listed("dnsrecords");
    return records.length >= RECORDS && records.every(isReason(reason));
  });
}

/** All that was wanted is written: a status that changes ends with the accumulator's window. */
async function untilCalm(): Promise<void> {
  let [last, lastAt] = [-1, 0];
  const isCalm = () => {
    const { length } = ApiCalls.between(plane, 0).ownWrites;
    if (length !== last) [last, lastAt] = [length, Date.now()];
    return Date.now() - lastAt > 15_000;
  };
  await until("the writes to end", isCalm, 150_000);
}

const untilTime = (at: number) => until("the time to pass", () => Date.now() >= at, 2 * (at - Date.now()) + 10_000);

const perMinute = (counts: Record<string, number>, minutes: number) =>
  Object.entries(counts)
    .map(([what, count]) => `${what} ${(count / minutes).toFixed(1)}`)
    .join(", ") || "none";

test("when nothing changes, nothing is written but the contact Lease, once a minute", async ({ onTestFailed }) => {
  onTestFailed(() => console.log(world.replicas[0]!.log.slice(-3_000), world.edge.log().slice(-2_000)));
  expect(await listed("dnshealthcheckprobes")).toHaveLength(RECORDS * ADDRESSES.length);
  const from = Date.now();
  await untilTime(from + QUIET_MINUTES * MINUTE_MS);
  const calls = ApiCalls.between(plane, from, from + QUIET_MINUTES * MINUTE_MS);
  console.log(`gentle: ${RECORDS} records, ${RECORDS * ADDRESSES.length} probes, ${QUIET_MINUTES} minutes without a change
  writes a minute: ${perMinute(tally(calls.ownWrites), QUIET_MINUTES)}; of the election: ${calls.electionWrites.length / QUIET_MINUTES}
  reads a minute: ${perMinute(tally(calls.reads), QUIET_MINUTES)}`);
  expect(calls.ownWrites.map(({ resource, name }) => `${resource} ${name}`)).toEqual(
    Array(calls.ownWrites.length).fill(`leases vedette-${world.name}-edge`),
  );
  expect(calls.ownWrites.length).toBeLessThanOrEqual(QUIET_MINUTES + 1);
  expect(calls.reads.filter(({ verb }) => verb === "list")).toEqual([]);
  expect(calls.refused).toEqual([]);
});

test("when an address dies that all records share, each object is written for a few reasons only", async ({
  onTestFinished,
}) => {
  onTestFinished(() => gateways[0]!.change(undefined));
  const from = Date.now();
  await gateways[0]!.change("refuse");
  await allRecordsAre("PartiallyHealthy");
  await untilCalm();
  const calls = ApiCalls.between(plane, from);
  const counts = tally(calls.ownWrites);
  console.log(`gentle: one of three addresses of ${RECORDS} records dies: ${JSON.stringify(counts)}`);
  const dead = new Set(
    (await listed("dnshealthcheckprobes")).filter(({ status }) => status?.healthy === false).map(nameOf),
  );
  expect(dead.size).toBe(RECORDS);
  expect(counts["patch dnsendpoints"]).toBe(RECORDS);
  // A record says each count of its probe, and of a probe each count of each region, up to the one that turns it.
  const COUNTS = SLOW.failureThreshold + 1;
  expect(counts["patch dnsrecords/status"]).toBeLessThanOrEqual((COUNTS + 1) * RECORDS);
  expect(counts["patch dnshealthcheckprobes/status"]).toBeLessThanOrEqual(REGIONS.length * COUNTS * RECORDS);
  const touched = calls.ownWrites.filter(({ resource }) => resource === "dnshealthcheckprobes/status");
  // A region's first report on a healthy probe may have come after the last delivery. This one carries it, once.
  const well = touched.map(({ name }) => name).filter((name) => !dead.has(name));
  expect(well).toHaveLength(new Set(well).size);
  expect(calls.refused).toEqual([]);
});

const nameOf = ({ metadata }: Seen) => metadata.name;

/** Somebody who applies the same object again with a label of theirs, and takes nothing by force. */
async function applyAsOther(manifest: { metadata: object }): Promise<void> {
  const metadata = { ...manifest.metadata, labels: { team: "shop" }, annotations: { note: "ours" } };
  const args = ["apply", "--server-side", "--field-manager=gitops", "-f", "-"];
  await plane.kubectlOk(args, JSON.stringify({ ...manifest, metadata }));
}

const identityOf = ({ apiVersion, kind, metadata }: Seen & { apiVersion: string; kind: string }) => ({
  apiVersion,
  kind,
  metadata: { name: metadata.name, namespace },
});

test("check times are refreshed at their slow pace; status writes without number leave spec, generation and what others wrote alone", async () => {
  await allRecordsAre("Healthy");
  const first = world.replicas[0]!;
  await first.stop();
  await world.add({ webhookPort: first.webhookPort, settings: { STATUS_REFRESH: `${REFRESH_MS / 1_000}s` } });
  const flipping = record("flip", [FLIPPING, ADDRESSES[1]], FAST);
  await applyAsOther(flipping);
  await allRecordsAre("Healthy");
  const probeName = (await listed("dnshealthcheckprobes")).map(nameOf).find((name) => name.includes(FLIPPING)) ?? "";
  const read = async () => [
    (await world.get<Seen & { apiVersion: string; kind: string }>("dnsrecord", namespace, "flip"))!,
    (await world.get<Seen & { apiVersion: string; kind: string }>("dnshealthcheckprobe", namespace, probeName))!,
  ];
  const before = await read();
  await applyAsOther(identityOf(before[1]!));
  const timesBefore = await checkTimes();
  const from = Date.now();
  const flips = await flipUntil(from + REFRESHES * REFRESH_MS);
  const calls = ApiCalls.between(plane, from, from + REFRESHES * REFRESH_MS);
  const after = await read();
  await applyAsOther(flipping);
  await applyAsOther(identityOf(after[1]!));

  const refreshes = calls.ownWrites.filter(({ name }) => timesBefore.has(name) && !name.startsWith("flip"));
  const ofRecords = refreshes.filter(({ resource }) => resource === "dnsrecords/status");
  const most = Math.max(
    ...Map.groupBy(refreshes, ({ name }) => name)
      .values()
      .map(({ length }) => length),
  );
  const seconds = Map.groupBy(refreshes, ({ receivedAtMs }) => Math.floor((receivedAtMs - from) / 1_000));
  const pace = [...seconds].map(([second, { length }]) => `${second}s:${length}`).join(" ");
  const own = calls.ownWrites.filter(({ name }) => name.startsWith("flip"));
  console.log(`gentle: check times refreshed each ${REFRESH_MS / 1_000} s: ${refreshes.length} writes in ${(REFRESHES * REFRESH_MS) / 1_000} s for ${timesBefore.size} probes (records: ${ofRecords.length}), by second ${pace}
  ${flips} flips of one address: ${JSON.stringify(tally(own))}; all: ${JSON.stringify(tally(calls.ownWrites))}`);

  const times = await checkTimes();
  const stale = [...timesBefore].filter(([name, at]) => (times.get(name) ?? "") <= at);
  expect(stale).toEqual([]);
  expect(most).toBeLessThanOrEqual(REFRESHES + 1);
  for (const [index, { metadata, spec }] of after.entries()) {
    expect(isDeepStrictEqual(spec, before[index]!.spec)).toBe(true);
    expect(metadata.generation).toBe(before[index]!.metadata.generation);
    expect(metadata).toMatchObject({ labels: { team: "shop" }, annotations: { note: "ours" } });
  }
  expect(calls.refused).toEqual([]);
});

const checkTimes = async () =>
  new Map(
    (await listed("dnshealthcheckprobes")).map(({ metadata, status }) => [metadata.name, status?.lastCheckedAt ?? ""]),
  );

/**
 * Breaks and repairs the gateway of one record as soon as each is noted, until this time, and a few times at least. Returns how
 * often.
 */
async function flipUntil(end: number): Promise<number> {
  let flips = 0;
  while (Date.now() < end || flips < LEAST_FLIPS) {
    const isBroken = flips % 2 === 0;
    await gateways.at(-1)!.change(isBroken ? "status" : undefined);
    const reason = isBroken ? "PartiallyHealthy" : "Healthy";
    await until(`flip ${flips} to be noted`, async () => {
      const one = await world.get<Seen>("dnsrecord", namespace, "flip");
      return one !== undefined && isReason(reason)(one);
    });
    flips += 1;
  }
  return flips;
}
