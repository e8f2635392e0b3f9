import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { KubeClient } from "../../agent/kubernetes/client.ts";
import { DNS_HEALTH_CHECK_POLICY, DNS_RECORD, GATEWAY } from "../../agent/kubernetes/kinds.ts";
import type { KubeObject } from "../../agent/kubernetes/object.ts";
import type { PolicyStatus } from "../../shared/model/dns-health-check-policy.ts";
import { recordSpec } from "../../shared/model/record.ts";
import { until } from "../e2e/support/until.ts";
import { addressOf, gateway, type ListenerShort, policy } from "../support/gateways.ts";
import { type GatewayAgent, startGatewayAgent } from "./support/gateway-agent.ts";
import { sharedCluster } from "./support/shared.ts";

const cluster = sharedCluster();
const client = new KubeClient(cluster.config);
const opened = new AsyncDisposableStack();
const [A, B] = ["192.0.2.1", "192.0.2.2"];

let namespace: string;
let agent: GatewayAgent;

beforeEach(async () => {
  namespace = await cluster.freshNamespace("gateways");
  agent = startAgent();
});
afterAll(() => opened.disposeAsync());

function startAgent(): GatewayAgent {
  const started = startGatewayAgent(client, namespace);
  opened.defer(() => started.stop());
  return started;
}

const asUser = { fieldManager: "user" };

/** Gives a Gateway its addresses, as its implementation would. */
async function setAddresses(name: string, addresses: readonly string[]): Promise<void> {
  const metadata = { name, namespace };
  const status = { addresses: addresses.map(addressOf) };
  const object = { apiVersion: GATEWAY.apiVersion, kind: GATEWAY.kind, metadata, status };
  await client.apply(GATEWAY, object, { fieldManager: "gateways", subresource: "status" });
}

async function applyGateway(
  name: string,
  listeners: readonly ListenerShort[],
  addresses: readonly string[],
  more = {},
) {
  const { spec, ...object } = gateway(name, { listeners });
  const all = (spec as { listeners: { protocol: string }[] }).listeners;
  const withTls = all.map((one) =>
    one.protocol === "HTTPS" ? { ...one, tls: { certificateRefs: [{ name: "x" }] } } : one,
  );
  const whole = {
    ...object,
    metadata: { name, namespace, ...more },
    spec: { ...(spec as object), listeners: withTls },
  };
  delete whole.status;
  await client.apply(GATEWAY, whole, asUser);
  await setAddresses(name, addresses);
}

const applyPolicy = async (name: string, target: string, spec = {}) =>
  client.apply(DNS_HEALTH_CHECK_POLICY, { ...policy(name, target, spec), metadata: { name, namespace } }, asUser);

const records = async () => (await client.list(DNS_RECORD, { namespace })).items;
const record = async (name: string) => client.get(DNS_RECORD, { namespace, name });

async function published(): Promise<Record<string, string>> {
  const entries = (await records()).map(({ metadata, spec }) => {
    const { rootHost, endpoints } = recordSpec.parse(spec);
    return [metadata.name, [rootHost, ...endpoints.flatMap(({ targets }) => targets)].join(" ")];
  });
  return Object.fromEntries(entries);
}

const untilPublished = (wanted: Record<string, string>) => {
  let seen: Record<string, string> = {};
  const isSo = async () => {
    seen = await published();
    return JSON.stringify(Object.entries(seen).sort()) === JSON.stringify(Object.entries(wanted).sort());
  };
  return until(`records ${JSON.stringify(wanted)}`, isSo, 20_000, () => seen);
};

/** The status of a policy. */
async function told(name: string): Promise<string> {
  const status = (await client.get(DNS_HEALTH_CHECK_POLICY, { namespace, name }))?.status as PolicyStatus | undefined;
  const condition = status?.ancestors[0]?.conditions[0];
  return `${condition?.status} ${condition?.reason}: ${condition?.message}`;
}

const untilTold = (name: string, words: string) => {
  let seen = "";
  const isSo = async () => {
    seen = await told(name);
    return seen.includes(words);
  };
  return until(`${name} to be told ${words}`, isSo, 20_000, () => seen);
};

describe("Gateways with a policy", () => {
  test("64 listeners × 2 host names become 64 records of two weighted sets, each written once", async () => {
    const listeners = Array.from({ length: 64 }, (_, n): ListenerShort => [`l${n}`, `h${n}.test`]);
    await applyPolicy("p", "web", { healthCheck: { path: "/healthz" } });
    await applyGateway("web", listeners, ["a.lb.test", "b.lb.test"]);
    await until("64 records", async () => (await records()).length === 64);
    await untilTold("p", "True Accepted");
    const specs = (await records()).map(({ spec }) => recordSpec.parse(spec));
    expect(new Set(specs.map(({ rootHost }) => rootHost)).size).toBe(64);
    for (const { endpoints, healthCheck } of specs) {
      expect(endpoints.map(({ recordType, setIdentifier }) => [recordType, setIdentifier])).toEqual([
        ["CNAME", "a.lb.test"],
        ["CNAME", "b.lb.test"],
      ]);
      expect(healthCheck).toMatchObject({ protocol: "HTTPS", port: 443, path: "/healthz" });
    }
    const applied = agent.writes.filter((write) => write.startsWith("web-"));
    expect(applied).toHaveLength(64);
  });

  test("are published by wildcard too; the policy of a listener wins over the Gateway's, and the older over the younger", async () => {
    await applyPolicy("whole", "web", { recordTTL: 60 });
    await until("the first second of the policy to be over", async () => {
      const created = (await client.get(DNS_HEALTH_CHECK_POLICY, { namespace, name: "whole" }))?.metadata
        .creationTimestamp;
      return Date.now() > Date.parse(created ?? "") + 1_000;
    });
    await applyPolicy("a-younger", "web", { recordTTL: 5 });
    await applyPolicy("one", "web/one", { recordTTL: 30 });
    await applyPolicy("lost", "wob");
    await applyPolicy("missing", "web/three");
    await applyGateway("web", [["all", "*.web.test"], ["one", "one.test"], ["any"]], [A]);
    await untilPublished({ "web-all": `*.web.test ${A}`, "web-one": `one.test ${A}` });
    const ttlOf = async (name: string) => recordSpec.parse((await record(name))?.spec).endpoints[0]?.recordTTL;
    expect([await ttlOf("web-all"), await ttlOf("web-one")]).toEqual([60, 30]);
    await untilTold("whole", "True Accepted: any: It has no host name");
    await untilTold("a-younger", "False Conflicted: The policy whole is older");
    await untilTold("one", "True Accepted: ");
    await untilTold("lost", "False TargetNotFound: There is no Gateway wob");
    await untilTold("missing", "False TargetNotFound: The Gateway web has no listener three");
  });

  test("keep their records as they are while the address list is empty", async () => {
    await applyPolicy("p", "web");
    await applyGateway("web", [["https", "one.test"]], [A, B]);
    await untilPublished({ "web-https": `one.test ${A} ${B}` });
    const before = await record("web-https");
    await setAddresses("web", []);
    await untilTold("p", "The Gateway has no address");
    expect(await record("web-https")).toEqual(before);
    await setAddresses("web", [B]);
    await untilPublished({ "web-https": `one.test ${B}` });
    expect((await record("web-https"))?.metadata.uid).toBe(before?.metadata.uid);
  });

  test("lose them as soon as they are being deleted, though a finalizer holds the Gateway", async () => {
    await applyPolicy("p", "web");
    await applyGateway("web", [["https", "one.test"]], [A], { finalizers: ["example.test/hold"] });
    await untilPublished({ "web-https": `one.test ${A}` });
    await client.delete(GATEWAY, { namespace, name: "web" });
    await untilPublished({});
    expect(await client.get(GATEWAY, { namespace, name: "web" })).toBeDefined();
    await untilTold("p", "False TargetNotFound: The Gateway web is being deleted");
  });

  test("lose them with the policy, unless another is for the listener", async () => {
    await applyPolicy("p", "web");
    await applyPolicy("q", "web/one");
    await applyGateway(
      "web",
      [
        ["one", "one.test"],
        ["two", "two.test"],
      ],
      [A],
    );
    await untilPublished({ "web-one": `one.test ${A}`, "web-two": `two.test ${A}` });
    const before = await record("web-one");
    await client.delete(DNS_HEALTH_CHECK_POLICY, { namespace, name: "p" });
    await untilPublished({ "web-one": `one.test ${A}` });
    await applyPolicy("r", "web");
    await client.delete(DNS_HEALTH_CHECK_POLICY, { namespace, name: "q" });
    await until(
      "the record to be r's",
      async () => (await record("web-one"))?.metadata.annotations?.["vedette.dev/policy"] === "r",
    );
    expect((await record("web-one"))?.metadata.uid).toBe(before?.metadata.uid);
  });

  test("leave a foreign record of the same name alone, and say so", async () => {
    const spec = { rootHost: "theirs.test", endpoints: [{ dnsName: "theirs.test", recordType: "A", targets: [B] }] };
    const head = { apiVersion: DNS_RECORD.apiVersion, kind: DNS_RECORD.kind };
    const foreign = await client.apply(
      DNS_RECORD,
      { ...head, metadata: { name: "web-https", namespace }, spec },
      asUser,
    );
    await applyPolicy("p", "web");
    await applyGateway("web", [["https", "one.test"]], [A]);
    await untilTold("p", "one.test: The DNSRecord web-https is not this Gateway's");
    expect(await record("web-https")).toEqual(foreign);
    await client.delete(DNS_RECORD, { namespace, name: "web-https" });
    await untilPublished({ "web-https": `one.test ${A}` });
    await untilTold("p", "True Accepted: ");
  });
});

describe("a record that was made from a Gateway", () => {
  const web = async () => {
    await applyPolicy("p", "web", { healthCheck: { path: "/healthz" } });
    await applyGateway("web", [["https", "one.test"]], [A]);
    await untilPublished({ "web-https": `one.test ${A}` });
    await untilTold("p", "True Accepted");
    const made = await record("web-https");
    if (made === undefined) throw new Error("the record has gone again");
    return made;
  };

  test("is put back after a user changed it, also what was added; labels, annotations and finalizers of others stay", async () => {
    const made = await web();
    const labels = { team: "blue" };
    const finalizers = ["example.test/hold"];
    const patch = {
      metadata: { labels, annotations: { note: "kept" }, finalizers },
      spec: { minPublished: 7, healthCheck: { path: "/other", expectedBody: "mine" }, endpoints: [] as unknown[] },
    };
    patch.spec.endpoints = [{ dnsName: "one.test", recordType: "A", targets: [B] }];
    await cluster.kubectlOk([
      "patch",
      "dnsrecord",
      "web-https",
      "-n",
      namespace,
      "--type=merge",
      "-p",
      JSON.stringify(patch),
    ]);
    let seen: KubeObject | undefined;
    const isBack = async () => {
      seen = await record("web-https");
      return JSON.stringify(seen?.spec) === JSON.stringify(made.spec);
    };
    await until("the record to be put back", isBack, 20_000, () => seen?.spec);
    expect(seen?.metadata).toMatchObject({ labels, annotations: { note: "kept" }, finalizers });
  });

  test("is made anew when a user deletes it, and goes with its Gateway", async () => {
    const made = await web();
    await client.delete(DNS_RECORD, { namespace, name: "web-https" });
    await until(
      "another record",
      async () => ![undefined, made.metadata.uid].includes((await record("web-https"))?.metadata.uid),
    );
    await client.delete(GATEWAY, { namespace, name: "web" });
    await untilPublished({});
    await untilTold("p", "False TargetNotFound: There is no Gateway web");
  });

  test("is not written again by a second pass, nor by another replica", async () => {
    const made = await web();
    const status = await client.get(DNS_HEALTH_CHECK_POLICY, { namespace, name: "p" });
    await agent.stop();
    const other = startAgent();
    await applyPolicy("q", "more");
    await applyGateway("more", [["https", "more.test"]], [B]);
    await untilPublished({ "web-https": `one.test ${A}`, "more-https": `more.test ${B}` });
    await untilTold("q", "True Accepted");
    expect(await record("web-https")).toEqual(made);
    expect(await client.get(DNS_HEALTH_CHECK_POLICY, { namespace, name: "p" })).toEqual(status);
    expect(other.writes.filter((write) => ["web-https", "p"].includes(write))).toEqual([]);
  });

  test("is no more than the API takes: a health check that it refuses is told, and the last form stays", async () => {
    const made = await web();
    await applyPolicy("p", "web", { healthCheck: { additionalHeadersRef: { name: "headers" } } });
    await applyGateway(
      "web",
      [
        ["https", "one.test"],
        ["http", "two.test", "HTTP", 80],
      ],
      [A],
    );
    await untilTold("p", "False Invalid: two.test: spec.healthCheck.additionalHeadersRef");
    await untilPublished({ "web-https": `one.test ${A}` });
    expect((await record("web-https"))?.metadata.uid).toBe(made.metadata.uid);
  });
});
