import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { KubeClient } from "../../agent/kubernetes/client.ts";
import { DNS_ENDPOINT, DNS_RECORD } from "../../agent/kubernetes/kinds.ts";
import { type Breakage, type Gateway, makeGatewayIdentities, startGateway } from "../../local/sample-gateways.ts";
import type { DnsRecordStatus } from "../../shared/model/dns-record.ts";
import { type Doh, startDoh } from "../e2e/support/doh.ts";
import { startGateways, type TestGateway } from "../e2e/support/gateways.ts";
import { freePort } from "../support/free-port.ts";
import { sharedCluster } from "./support/shared.ts";
import { type Agreed, agreed, type ProbeObject, probesOf, type Surfaces, surfacesOf } from "./support/surfaces.ts";
import { ClusterWorld, until } from "./support/world.ts";

const ADDRESSES = ["127.0.0.91", "127.0.0.92", "127.0.0.93"];
const [FIRST, SECOND, THIRD] = ADDRESSES as [string, string, string];
/** Host names, and the address that each resolves to. */
const NAMES = { "one.lb.test": "127.0.0.94", "two.lb.test": "127.0.0.95" };
const [ONE, TWO] = Object.keys(NAMES) as [string, string];
const REGIONS = ["apac", "enam", "weur"];
const CHECK = { path: "/healthz", interval: "1s", timeout: "1s", failureThreshold: 1, staleAfter: "30s" };

const client = new KubeClient(sharedCluster().config);
const identities = await makeGatewayIdentities(["*.example.test"], Date.now());
let world: ClusterWorld;
let doh: Doh;
let namespace: string;
/** Ports of the gateways: Node behind HTTPS for addresses; nginx and haproxy for host names. */
let httpsPort: number;
let httpPort: number;
const gateways: Gateway[] = [];
let named: TestGateway[] = [];

beforeAll(async () => {
  [httpsPort, httpPort] = [await freePort(), await freePort()];
  for (const [index, address] of ADDRESSES.entries())
    gateways.push(await startGateway({ number: index, address, port: httpsPort, identities }));
  named = await startGateways(Object.values(NAMES), httpPort);
  doh = await startDoh();
  for (const [name, address] of Object.entries(NAMES)) doh.set(name, [address]);
  world = await ClusterWorld.start(sharedCluster(), {
    hosts: ["*.example.test"],
    edgeSettings: { RESOLVER_URL: doh.url, EXTRA_ROOTS: identities.authority },
  });
  namespace = await world.cluster.freshNamespace("epic");
  await world.apply(
    ofAddresses("many", ADDRESSES),
    ofAddresses("single", [FIRST]),
    ofNames("names", [ONE, TWO]),
    ofNames("name", [ONE]),
  );
});
afterAll(async () => {
  await world?.stop();
  await Promise.all([...gateways, ...named].map((gateway) => gateway.stop()));
  await doh?.stop();
});
beforeEach(async ({ onTestFailed }) => {
  onTestFailed(() => world.explain(namespace));
  await Promise.all([...gateways, ...named].map((gateway) => gateway.change(undefined)));
  await untilAgreed("many", { leaves: ADDRESSES });
  await untilAgreed("names", { leaves: [ONE, TWO] });
});

function ofAddresses(name: string, targets: readonly string[]) {
  const dnsName = `${name}.example.test`;
  return recordOf(name, [{ dnsName, recordType: "A", targets }], { ...CHECK, protocol: "HTTPS", port: httpsPort });
}

/** As a Gateway with addresses that are host names gives them: a set for each, drawn by weight. */
function ofNames(name: string, targets: readonly string[]) {
  const dnsName = `${name}.example.test`;
  const sets = targets.map((target) => ({
    dnsName,
    recordType: "CNAME",
    targets: [target],
    setIdentifier: target,
    providerSpecific: [{ name: "aws/weight", value: "120" }],
  }));
  return recordOf(name, sets, { ...CHECK, protocol: "HTTP", port: httpPort });
}

function recordOf(name: string, endpoints: readonly object[], healthCheck: object) {
  const metadata = { name, namespace };
  const spec = { rootHost: `${name}.example.test`, endpoints, healthCheck };
  return { apiVersion: "vedette.dev/v1alpha1", kind: "DNSRecord", metadata, spec };
}

/** Waits until the edge, the record, its probes, its DNSEndpoint and the metrics all say this. */
async function untilAgreed(name: string, wanted: Agreed | ((now: Surfaces) => Agreed)): Promise<Surfaces> {
  let now: Surfaces | undefined;
  let expected: Surfaces | undefined;
  const isSo = async () => {
    now = await surfacesOf(world, client, { namespace, name });
    expected = agreed(typeof wanted === "function" ? wanted(now) : wanted);
    return JSON.stringify(now) === JSON.stringify(expected);
  };
  await until(`all surfaces of ${name} to agree`, isSo).catch(() => undefined);
  expect(now).toEqual(expected);
  return now!;
}

const breakAll = (breakage: Breakage, ...broken: (Gateway | TestGateway)[]) =>
  Promise.all(broken.map((gateway) => gateway.change(breakage)));

const probeOf = async (name: string, address: string) =>
  (await probesOf(client, { namespace, name })).find(({ spec }) => spec.address === address);

const kubectlGet = (kinds: string) => world.cluster.kubectlOk(["get", kinds, "-n", namespace, "-o", "wide"]);

async function statusOf(name: string): Promise<DnsRecordStatus> {
  return (await client.get(DNS_RECORD, { namespace, name }))?.status as DnsRecordStatus;
}

describe("an unhealthy IP", () => {
  test("is removed when others are present", async () => {
    await breakAll("status", gateways[0]!);
    const now = await untilAgreed("many", { leaves: ADDRESSES, unhealthy: [FIRST] });
    expect(now.endpoint).toBe(`${SECOND} ${THIRD}`);
    expect(now.conditions.Healthy).toContain(FIRST);
  });

  test("is preserved when it is the only leaf", async () => {
    await breakAll("refuse", gateways[0]!);
    const now = await untilAgreed("single", { leaves: [FIRST], unhealthy: [FIRST], published: [FIRST] });
    expect(now.endpoint).toBe(FIRST);
    expect(now.probes[FIRST]).toBe("false KeptLast");
    const row = await world.cluster.kubectlOk(["get", "dnsprobe", `single-${FIRST}`, "-n", namespace, "-o", "wide"]);
    expect(row).toMatch(/DECISION\n.+KeptLast\s*$/);
    const record = await world.edge.record("single.example.test");
    expect(record?.advisories.map(({ type }) => type)).toContain("KeptLast");
  });
});

describe("an unhealthy CNAME", () => {
  test("is removed when other leaves are present", async () => {
    await breakAll("status", named[0]!);
    const now = await untilAgreed("names", { leaves: [ONE, TWO], unhealthy: [ONE] });
    expect(now.endpoint).toBe(TWO);
    expect(doh.asked).toContain(`${ONE} A`);
  });

  test("is preserved when it is the only leaf", async () => {
    await breakAll("refuse", named[0]!);
    const now = await untilAgreed("name", { leaves: [ONE], unhealthy: [ONE], published: [ONE] });
    expect(now.endpoint).toBe(ONE);
    expect(now.probes[ONE]).toBe("false KeptLast");
  });
});

/**
 * The probe object of an address of `many`, once every region has asked since; what is the same in those of ill and well
 * addresses. Two regions decide: the third may have asked a little later.
 */
async function askedSince(address: string, sinceMs: number): Promise<ProbeObject> {
  const timesOf = ({ status }: ProbeObject) => [
    status.lastCheckedAt,
    ...status.regions.map((one) => one.lastCheckedAt),
  ];
  const probe = await until(`all regions to have asked ${address}`, async () => {
    const found = await probeOf("many", address);
    return found !== undefined && timesOf(found).every((time) => Date.parse(time ?? "") > sinceMs) && found;
  });
  expect(probe.metadata.name).toBe(`many-${address}`);
  expect(probe.spec).toMatchObject({
    record: "many",
    rootHost: "many.example.test",
    address,
    protocol: "HTTPS",
    port: httpsPort,
    host: "many.example.test",
    path: "/healthz",
    failureThreshold: 1,
    regions: expect.arrayContaining(REGIONS),
  });
  const checked = timesOf(probe);
  expect(checked).toHaveLength(1 + REGIONS.length);
  for (const time of checked) expect(Date.parse(time ?? "")).toBeLessThanOrEqual(Date.now());
  return probe;
}

describe("the probe object", () => {
  test("notes an unhealthy workload, and the record names it", async () => {
    const sinceMs = Date.now();
    await breakAll("status", gateways[1]!);
    await untilAgreed("many", { leaves: ADDRESSES, unhealthy: [SECOND] });
    const { status } = await askedSince(SECOND, sinceMs);
    expect(status).toMatchObject({
      healthy: false,
      verdict: "Unhealthy",
      reason: "UnexpectedStatus",
      status: 500,
      publishedReason: "UnhealthyWithheld",
      conditions: [{ type: "Healthy", status: "False", reason: "Unhealthy" }],
    });
    expect(status.message).toBeTruthy();
    expect(status.consecutiveFailures).toBeGreaterThan(1);
    expect(Date.parse(status.since ?? "")).toBeGreaterThan(sinceMs);
    expect(status.regions.map(({ region }) => region)).toEqual(REGIONS);
    const saying = status.regions.filter(({ says }) => says === "Unhealthy");
    expect(saying.length).toBeGreaterThanOrEqual(2);
    const named = saying.map(({ region }) => region).join(", ");
    expect(status.conditions?.[0]?.message).toContain(`${named}: UnexpectedStatus`);
    for (const region of saying) {
      expect(region).toMatchObject({ freshness: "Fresh", reason: "UnexpectedStatus", httpStatus: 500 });
      expect(region.consecutiveFailures).toBeGreaterThan(1);
    }
    const record = await statusOf("many");
    expect(record.observedGeneration).toBe(1);
    expect(record.conditions.find(({ type }) => type === "Healthy")).toMatchObject({
      status: "False",
      reason: "PartiallyHealthy",
      message: `Unhealthy: ${SECOND}.`,
      observedGeneration: 1,
    });
    console.log(await kubectlGet("dnsrecords.vedette.dev,dnshealthcheckprobes"));
  });

  test("notes a healthy workload", async () => {
    const { status } = await askedSince(THIRD, Date.now() - 300_000);
    expect(status).toMatchObject({
      healthy: true,
      verdict: "Healthy",
      consecutiveFailures: 0,
      reason: "Ok",
      status: 200,
      publishedReason: "Healthy",
      conditions: [{ type: "Healthy", status: "True", reason: "Healthy" }],
    });
    for (const region of status.regions) {
      expect(region).toMatchObject({ freshness: "Fresh", says: "Healthy", consecutiveFailures: 0, httpStatus: 200 });
      expect(Date.parse(region.certificateExpiresAt ?? "")).toBeGreaterThan(Date.now());
    }
    const { conditions } = await statusOf("many");
    const expected = { Accepted: "True", Ready: "True", Healthy: "True", EdgeReachable: "True" };
    expect(Object.fromEntries(conditions.map(({ type, status: word }) => [type, word]))).toMatchObject(expected);
  });

  test("is updated when the workload becomes healthy again", async () => {
    await breakAll("expired", gateways[1]!);
    await untilAgreed("many", { leaves: ADDRESSES, unhealthy: [SECOND] });
    const ill = await probeOf("many", SECOND);
    expect(ill?.status).toMatchObject({ healthy: false, reason: "CertificateExpired" });
    await gateways[1]!.change(undefined);
    await untilAgreed("many", { leaves: ADDRESSES });
    const well = await probeOf("many", SECOND);
    expect(well?.status).toMatchObject({ healthy: true, consecutiveFailures: 0, reason: "Ok", status: 200 });
    expect(Date.parse(well?.status.since ?? "")).toBeGreaterThan(Date.parse(ill?.status.since ?? ""));
    const times = [ill, well].map((one) => Date.parse(one?.status.conditions?.[0]?.lastTransitionTime ?? ""));
    expect(times[1]).toBeGreaterThan(times[0]!);
  });
});

test("metrics are emitted when an unhealthy workload is detected", async () => {
  const leader = world.replicas[0]!;
  const about = { namespace, record: "many" };
  const turned = async (to: string) => await leader.metric("vedette_probe_transitions_total", { ...about, to });
  const before = { unhealthy: await turned("unhealthy"), healthy: await turned("healthy") };
  await breakAll("hang", gateways[2]!);
  await untilAgreed("many", { leaves: ADDRESSES, unhealthy: [THIRD] });
  const value = async (name: string, labels = {}) => await leader.metric(name, { ...about, ...labels });
  expect(await value("vedette_probe_healthy", { address: THIRD })).toBe(0);
  expect(await value("vedette_probe_healthy", { address: FIRST })).toBe(1);
  expect(await value("vedette_probe_consecutive_failures", { address: THIRD })).toBeGreaterThan(1);
  expect(await value("vedette_record_endpoints", { state: "published" })).toBe(2);
  expect(await value("vedette_record_endpoints", { state: "withheld" })).toBe(1);
  expect(await turned("unhealthy")).toBe(before.unhealthy + 1);
  await gateways[2]!.change(undefined);
  await untilAgreed("many", { leaves: ADDRESSES });
  expect(await turned("healthy")).toBe(before.healthy + 1);
  const answer = await fetch(`http://127.0.0.1:${leader.operationsPort}/metrics`);
  expect(answer.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
  expect(await answer.text()).toMatch(
    /^# HELP vedette_probe_healthy .+\n# TYPE vedette_probe_healthy gauge\nvedette_probe_healthy\{/m,
  );
});

describe("what shows a record agrees: the edge, its conditions, its probe objects, its DNSEndpoint and the metrics", () => {
  test.each([0, 1, 2, 3])(
    "when a record is new, or stood, and %i of 3 addresses fail and then come back",
    async (n) => {
      const failing = ADDRESSES.slice(0, n);
      await breakAll("status", ...gateways.slice(0, n));
      await world.apply(ofAddresses("fresh", ADDRESSES));
      const ill = { leaves: ADDRESSES, unhealthy: failing };
      await untilAgreed("fresh", ill);
      if (n < ADDRESSES.length) await untilAgreed("many", ill);
      else {
        // Which of them stay depends on the order in which they fell: those that were there when none was healthy any more.
        const now = await untilAgreed("many", ({ edge }) => ({ ...ill, published: edge.published.split(" ") }));
        expect(now.endpoint).not.toBe("");
        console.log(`all fail: ${now.endpoint} of ${ADDRESSES.join(" ")} stay`);
      }
      await Promise.all(gateways.map((gateway) => gateway.change(undefined)));
      await untilAgreed("fresh", { leaves: ADDRESSES });
      await untilAgreed("many", { leaves: ADDRESSES });
      await world.cluster.kubectlOk(["delete", "dnsrecords.vedette.dev", "fresh", "-n", namespace]);
    },
  );

  test("when one region disagrees: it shows, and changes nothing", async () => {
    const before = await client.get(DNS_ENDPOINT, { namespace, name: "many" });
    await breakAll("region", gateways[0]!);
    const dissenters = async () => {
      const probe = await probeOf("many", FIRST);
      return probe?.status.regions.filter(({ says }) => says === "Unhealthy").map(({ region }) => region);
    };
    await until("the probe object to show the region", async () => String(await dissenters()) === "weur");
    await untilAgreed("many", { leaves: ADDRESSES });
    const record = await world.edge.record("many.example.test");
    const advisories = record?.probes.find(({ leaf }) => leaf === FIRST)?.advisories;
    expect(advisories).toContainEqual(expect.objectContaining({ type: "Dissent", regions: ["weur"] }));
    const { healthy, consecutiveFailures, reason } = (await probeOf("many", FIRST))!.status;
    expect({ healthy, consecutiveFailures, reason }).toEqual({ healthy: true, consecutiveFailures: 0, reason: "Ok" });
    expect(await client.get(DNS_ENDPOINT, { namespace, name: "many" })).toEqual(before);
  });
});
