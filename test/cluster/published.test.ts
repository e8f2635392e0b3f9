import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { KubeClient } from "../../agent/kubernetes/client.ts";
import { DNS_ENDPOINT, DNS_RECORD } from "../../agent/kubernetes/kinds.ts";
import { type Gateway, startGateway } from "../../local/sample-gateways.ts";
import type { DnsRecordStatus } from "../../shared/model/dns-record.ts";
import { type Doh, startDoh } from "../e2e/support/doh.ts";
import { freePort } from "../support/free-port.ts";
import { type Bind, startBind } from "./support/bind.ts";
import { type ExternalDns, startExternalDns } from "./support/external-dns.ts";
import { sharedCluster } from "./support/shared.ts";
import { ClusterWorld, until } from "./support/world.ts";

const ZONE = "example.test";
const OWNER = "shop-eu";
const ADDRESSES = ["127.0.0.101", "127.0.0.102"];
const [FIRST, SECOND] = ADDRESSES as [string, string];
const FOREIGN = "203.0.113.1";
/** A host name that no zone of ours holds, at the first gateway. */
const ELSEWHERE = "one.lb.test";

const client = new KubeClient(sharedCluster().config);
let world: ClusterWorld;
let bind: Bind;
let doh: Doh;
let externalDns: ExternalDns;
let namespace: string;
let port: number;
const gateways: Gateway[] = [];

beforeAll(async () => {
  port = await freePort();
  for (const [index, address] of ADDRESSES.entries())
    gateways.push(await startGateway({ number: index, address, port }));
  doh = await startDoh();
  doh.set(ELSEWHERE, [FIRST]);
  bind = await startBind(ZONE);
  world = await ClusterWorld.start(sharedCluster(), {
    hosts: [`*.${ZONE}`],
    edgeSettings: { RESOLVER_URL: doh.url },
    settings: {
      EXTERNAL_DNS_OWNER: OWNER,
      EXTERNAL_DNS_RESOLVERS: `${bind.host}:${bind.port}`,
      RESYNC: "10s", // It asks again who owns what as often as it lists everything again.
    },
  });
  namespace = await world.cluster.freshNamespace("published");
  externalDns = await startExternalDns({ kubeconfig: world.cluster.kubeconfig, bind, ownerId: OWNER, namespace });
});
afterAll(async () => {
  await externalDns?.stop();
  await world?.stop();
  await bind?.stop();
  await Promise.all(gateways.map((gateway) => gateway.stop()));
  await doh?.stop();
});
beforeEach(async ({ onTestFailed }) => {
  onTestFailed(async () => {
    await world.explain(namespace);
    console.log(externalDns.daemon.log.slice(-2_000), await bind.records());
  });
  await Promise.all(gateways.map((gateway) => gateway.change(undefined)));
});

interface Given {
  dnsName?: string;
  recordType: "A" | "CNAME";
  targets: readonly string[];
}

/** Applies a record of the host `<name>.example.test`. */
async function publish(name: string, ...endpoints: Given[]): Promise<void> {
  const host = `${name}.${ZONE}`;
  await world.apply({
    apiVersion: "vedette.dev/v1alpha1",
    kind: "DNSRecord",
    metadata: { name, namespace },
    spec: {
      rootHost: host,
      endpoints: endpoints.map((endpoint) => ({ dnsName: host, recordTTL: 5, ...endpoint })),
      healthCheck: { protocol: "HTTP", port, interval: "1s", timeout: "1s", failureThreshold: 1, staleAfter: "30s" },
    },
  });
}

/** Waits until dig shows these data of the host `<name>.example.test`; gives how long that took, in ms. */
async function untilServed(name: string, type: "A" | "CNAME", ...expected: string[]): Promise<number> {
  const startedAt = performance.now();
  let seen: unknown;
  const isServed = async () => {
    const { data } = await bind.dig(`${name}.${ZONE}`, type);
    seen = data;
    return data.join(" ") === expected.join(" ");
  };
  await until(`${name} ${type} to be ${expected.join(" ") || "nothing"}`, isServed, undefined, () => seen);
  return Math.round(performance.now() - startedAt);
}

const statusOf = async (name: string) =>
  (await client.get(DNS_RECORD, { namespace, name }))?.status as DnsRecordStatus | undefined;

const conditionOf = async (name: string, type: string) =>
  (await statusOf(name))?.conditions.find((one) => one.type === type);

/** The reasons of the events of a record. */
async function eventsOf(name: string): Promise<string> {
  const about = ["--field-selector", `involvedObject.name=${name},involvedObject.kind=DNSRecord`];
  return await world.cluster.kubectlOk(["get", "events", "-n", namespace, ...about, "-o", "jsonpath={..reason}"]);
}

const endpointOf = (name: string) => client.get(DNS_ENDPOINT, { namespace, name });

/** All of a DNSEndpoint that others than external-dns write. */
async function writtenIn(name: string) {
  const { metadata, spec } = (await endpointOf(name)) ?? {};
  const { uid, generation, labels, annotations, ownerReferences } = metadata ?? {};
  return { uid, generation, labels, annotations, ownerReferences, spec };
}

const deleteRecord = (name: string) =>
  world.cluster.kubectlOk(["delete", "dnsrecords.vedette.dev", name, "-n", namespace, "--timeout=150s"]);

/** The zone's records of a name and those below it, in TXT registry records too. */
const recordsOf = async (name: string) => (await bind.records()).filter((line) => line.includes(`${name}.${ZONE}. `));

describe("what external-dns writes to BIND", () => {
  test("loses the address of a broken gateway and gets it back; the record's end is the end of the names", async () => {
    await publish("shop", { recordType: "A", targets: ADDRESSES });
    await untilServed("shop", "A", FIRST, SECOND);
    await gateways[0]!.change("status");
    const left = await untilServed("shop", "A", SECOND);
    await gateways[0]!.change(undefined);
    const back = await untilServed("shop", "A", FIRST, SECOND);
    console.log(`dig: left after ${left} ms, back after ${back} ms`);
    expect(await recordsOf("shop")).toHaveLength(3);
    await deleteRecord("shop");
    await untilServed("shop", "A");
    await until("its registry record to go", async () => (await recordsOf("shop")).length === 0);
    expect((await bind.dig(`shop.${ZONE}`, "A")).code).toBe("NXDOMAIN");
  });

  test("keeps a CNAME whose addresses come and go, and one whose only host name is unhealthy", async () => {
    await publish(
      "www",
      { recordType: "CNAME", targets: [`lb.www.${ZONE}`] },
      { dnsName: `lb.www.${ZONE}`, recordType: "A", targets: ADDRESSES },
    );
    await publish("out", { recordType: "CNAME", targets: [ELSEWHERE] });
    await untilServed("www", "CNAME", `lb.www.${ZONE}.`);
    await untilServed("lb.www", "A", FIRST, SECOND);
    await untilServed("out", "CNAME", `${ELSEWHERE}.`);
    await gateways[0]!.change("refuse");
    await untilServed("lb.www", "A", SECOND);
    await until("the other to be unhealthy", async () => (await conditionOf("out", "Healthy"))?.status === "False");
    expect((await bind.dig(`www.${ZONE}`, "CNAME")).data).toEqual([`lb.www.${ZONE}.`]);
    expect((await bind.dig(`out.${ZONE}`, "CNAME")).data).toEqual([`${ELSEWHERE}.`]);
    await gateways[0]!.change(undefined);
    await untilServed("lb.www", "A", FIRST, SECOND);
    await Promise.all(["www", "out"].map(deleteRecord));
    await untilServed("lb.www", "A");
    await untilServed("out", "CNAME");
  });
});

describe("a host that somebody else publishes", () => {
  test("by the registry record of another owner: a condition, nothing written; once that is gone it is ours", async () => {
    const [host, txt] = [`taken.${ZONE}`, `a-taken.${ZONE}`];
    await bind.update(
      `update add ${host} 5 A ${FOREIGN}`,
      `update add ${txt} 5 TXT "heritage=external-dns,external-dns/owner=somebody"`,
    );
    const before = await recordsOf("taken");
    expect(before).toHaveLength(2);
    await publish("taken", { recordType: "A", targets: ADDRESSES });
    const conflict = await until("the conflict", () => conditionOf("taken", "PublisherConflict"));
    expect(conflict).toMatchObject({ status: "True", reason: "OtherOwner" });
    for (const word of [host, txt, "somebody"]) expect(conflict.message).toContain(word);
    await until("a verdict", async () => (await conditionOf("taken", "Healthy"))?.status === "True");
    expect(await conditionOf("taken", "Ready")).toMatchObject({ status: "False", reason: "PublisherConflict" });
    expect(await endpointOf("taken")).toBeUndefined();
    expect((await statusOf("taken"))?.summary?.published).toBe("0/2");
    expect(await recordsOf("taken")).toEqual(before);
    await until("an event", async () => (await eventsOf("taken")).includes("PublisherConflict"));
    expect(await eventsOf("taken")).not.toContain("EndpointsPublished");
    console.log(await world.cluster.kubectlOk(["get", "dnsrecords.vedette.dev", "-n", namespace]), conflict.message);

    // One that takes over finds the addresses in the status, and must not take them for ours.
    const [replica] = world.replicas;
    await replica!.process.stop();
    await gateways[0]!.change("status");
    await replica!.process.start();
    await until("a verdict after the restart", async () => (await conditionOf("taken", "Healthy"))?.status === "False");
    expect(await conditionOf("taken", "PublisherConflict")).toMatchObject({ status: "True", reason: "OtherOwner" });
    expect(await endpointOf("taken")).toBeUndefined();
    await gateways[0]!.change(undefined);

    await bind.update(`update delete ${host}`, `update delete ${txt}`);
    await untilServed("taken", "A", FIRST, SECOND);
    await until("no conflict", async () => (await conditionOf("taken", "PublisherConflict")) === undefined);
    expect(await conditionOf("taken", "Ready")).toMatchObject({ status: "True" });
    await deleteRecord("taken");
    await untilServed("taken", "A");
  });

  test("by a DNSEndpoint of the record's name: a condition, and it stays as it is; once that is gone ours is made", async () => {
    const metadata = { name: "theirs", namespace };
    const spec = { endpoints: [{ dnsName: `theirs.${ZONE}`, recordType: "A", targets: [FOREIGN], recordTTL: 5 }] };
    await world.apply({ apiVersion: DNS_ENDPOINT.apiVersion, kind: DNS_ENDPOINT.kind, metadata, spec });
    await untilServed("theirs", "A", FOREIGN);
    const before = await writtenIn("theirs");
    await publish("theirs", { recordType: "A", targets: ADDRESSES });
    const conflict = await until("the conflict", () => conditionOf("theirs", "PublisherConflict"));
    expect(conflict).toMatchObject({ status: "True", reason: "ForeignObject" });
    expect(conflict.message).toContain(`DNSEndpoint ${namespace}/theirs`);
    console.log(conflict.message);
    await until("a verdict", async () => (await conditionOf("theirs", "Healthy"))?.status === "True");
    await gateways[0]!.change("status");
    await until("another verdict", async () => (await conditionOf("theirs", "Healthy"))?.status === "False");
    expect(await writtenIn("theirs")).toEqual(before);
    expect((await bind.dig(`theirs.${ZONE}`, "A")).data).toEqual([FOREIGN]);
    await world.cluster.kubectlOk(["delete", "dnsendpoint", "theirs", "-n", namespace]);
    await untilServed("theirs", "A", SECOND);
    await until("no conflict", async () => (await conditionOf("theirs", "PublisherConflict")) === undefined);
    await deleteRecord("theirs");
    await untilServed("theirs", "A");
  });
});
