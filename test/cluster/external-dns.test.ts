import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { until } from "../e2e/support/until.ts";
import { type Bind, startBind } from "./support/bind.ts";
import { type ExternalDns, startExternalDns } from "./support/external-dns.ts";
import { sharedCluster } from "./support/shared.ts";

const ZONE = "example.test";
const HOST = `shop.${ZONE}`;
const cluster = sharedCluster();

interface Endpoint {
  dnsName: string;
  recordType: string;
  targets: string[];
}

describe("external-dns, between a DNSEndpoint and BIND", () => {
  let namespace: string;
  let bind: Bind;
  let externalDns: ExternalDns | undefined;

  beforeEach(async () => {
    namespace = await cluster.freshNamespace("external-dns");
    bind = await startBind(ZONE);
    externalDns = undefined;
  });

  afterEach(async () => {
    await externalDns?.stop();
    await bind.stop();
    await cluster.kubectlOk(["delete", "namespace", namespace, "--wait=false"]);
  });

  const start = async (args: string[] = []) => {
    const { kubeconfig } = cluster;
    externalDns = await startExternalDns({ kubeconfig, bind, ownerId: "vedette-one", namespace, args });
  };

  const apply = async (endpoints: readonly Endpoint[], name = "shop") => {
    const apiVersion = "externaldns.k8s.io/v1alpha1";
    const spec = { endpoints: endpoints.map((endpoint) => ({ ...endpoint, recordTTL: 5 })) };
    const object = { apiVersion, kind: "DNSEndpoint", metadata: { name, namespace }, spec };
    await cluster.kubectlOk(["apply", "--server-side", "-f", "-"], JSON.stringify(object));
  };

  const a = (...targets: string[]): Endpoint => ({ dnsName: HOST, recordType: "A", targets });

  const untilServed = async (type: "A" | "AAAA" | "CNAME", ...expected: string[]) => {
    let seen: unknown;
    const isServed = async () => {
      const { data } = await bind.dig(HOST, type);
      seen = { data, log: externalDns?.daemon.log.split("\n").slice(-4) };
      return data.join(" ") === expected.join(" ");
    };
    await until(`${HOST} ${type} to be ${expected.join(" ")}`, isServed, 45_000, () => seen);
  };

  test("an address leaves DNS and returns as it leaves the DNSEndpoint and returns", async () => {
    await start();
    await apply([a("198.51.100.10", "198.51.100.20")]);
    await untilServed("A", "198.51.100.10", "198.51.100.20");
    await apply([a("198.51.100.10")]);
    await untilServed("A", "198.51.100.10");
    await apply([a("198.51.100.10", "198.51.100.20")]);
    await untilServed("A", "198.51.100.10", "198.51.100.20");
    await cluster.kubectlOk(["delete", "dnsendpoint", "shop", "-n", namespace]);
    await untilServed("A");
    expect(await bind.dig(HOST, "A")).toEqual({ code: "NXDOMAIN", data: [] });
  });

  test("names its owner in one TXT record for each type", async () => {
    await start();
    await apply([
      a("198.51.100.10"),
      { dnsName: HOST, recordType: "AAAA", targets: ["2001:db8::1"] },
      { dnsName: `www.${ZONE}`, recordType: "CNAME", targets: ["lb.example.net"] },
      { dnsName: `*.apps.${ZONE}`, recordType: "A", targets: ["198.51.100.30"] },
    ]);
    await until("all records", async () => (await bind.records()).length >= 9);
    const txt = (name: string) =>
      `${name}.${ZONE}. TXT "heritage=external-dns,external-dns/owner=vedette-one,` +
      `external-dns/resource=crd/${namespace}/shop"`;
    expect(await bind.records()).toEqual([
      `*.apps.${ZONE}. A 198.51.100.30`,
      txt("a-*.apps"),
      txt("a-shop"),
      txt("aaaa-shop"),
      txt("cname-www"),
      `ns.${ZONE}. A 127.0.0.1`,
      `shop.${ZONE}. A 198.51.100.10`,
      `shop.${ZONE}. AAAA 2001:db8::1`,
      `www.${ZONE}. CNAME lb.example.net.`,
    ]);
  });

  test.each([
    { args: ["--txt-prefix=own-"], names: ["own-a-*.apps", "own-a-shop"] },
    { args: ["--txt-prefix=%{record_type}-own."], names: ["a-own.*.apps", "a-own.shop"] },
    { args: ["--txt-suffix=-own"], names: ["a-*-own.apps", "a-shop-own"] },
    { args: ["--txt-suffix=-own.%{record_type}"], names: ["*-own.a.apps", "shop-own.a"] },
    { args: ["--txt-wildcard-replacement=any"], names: ["a-any.apps", "a-shop"] },
  ])("names its owner where its flags say: $args", async ({ args, names }) => {
    await start(args);
    await apply([a("198.51.100.10"), { dnsName: `*.apps.${ZONE}`, recordType: "A", targets: ["198.51.100.30"] }]);
    await until("all records", async () => (await bind.records()).length >= 5);
    const texts = (await bind.records()).filter((record) => record.includes(" TXT "));
    expect(texts.map((record) => record.split(" ")[0])).toEqual(names.map((name) => `${name}.${ZONE}.`));
  });

  test("leaves a host alone that another owner publishes", async () => {
    await bind.update(
      `update add ${HOST} 5 A 203.0.113.1`,
      `update add a-${HOST} 5 TXT "heritage=external-dns,external-dns/owner=another"`,
    );
    await start();
    await apply([a("198.51.100.10"), { dnsName: `free.${ZONE}`, recordType: "A", targets: ["198.51.100.40"] }]);
    await until("the free host", async () => (await bind.dig(`free.${ZONE}`, "A")).data.length > 0);
    expect((await bind.dig(HOST, "A")).data).toEqual(["203.0.113.1"]);
  });
});
