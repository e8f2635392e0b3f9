import { describe, expect, it } from "vitest";
import type { PolicyStatus } from "../../../shared/model/dns-health-check-policy.ts";
import { recordSpec } from "../../../shared/model/record.ts";
import { gateway, policy, settled } from "../../../test/support/gateways.ts";
import type { KubeObject } from "../../kubernetes/object.ts";
import type { ClusterState } from "./plan.ts";

const HEALTH = { healthCheck: { path: "/healthz" } };
const A = "192.0.2.1";
const B = "192.0.2.2";

interface Scene {
  gateways?: KubeObject[] | undefined;
  policies?: KubeObject[] | undefined;
  records?: KubeObject[];
}

const world = (scene: Scene): ClusterState => ({
  gateways: [],
  policies: [policy("p", "web", HEALTH)],
  records: [],
  ...scene,
});

/** A Gateway web with one listener https for one.test. */
const web = (addresses: string[], more: Partial<Parameters<typeof gateway>[1]> = {}) =>
  gateway("web", { listeners: [["https", "one.test"]], addresses, ...more });

/** Records by name: their host and targets. */
const published = ({ records }: ClusterState) =>
  Object.fromEntries(
    records.map(({ metadata, spec }) => {
      const { rootHost, endpoints } = recordSpec.parse(spec);
      return [metadata.name, [rootHost, ...endpoints.flatMap(({ targets }) => targets)].join(" ")];
    }),
  );

/** The condition of the one policy. */
const told = ({ policies = [] }: ClusterState) =>
  policies
    .map(({ status }) => (status as PolicyStatus).ancestors[0]?.conditions[0])
    .map((condition) => `${condition?.reason}: ${condition?.message}`)[0];

/** The world as it settles after each of these scenes came upon what was there. */
function story(...scenes: Scene[]): ClusterState[] {
  let last = world({});
  return scenes.map((scene) => {
    const known = { gateways: last.gateways, policies: last.policies, records: last.records };
    last = settled({ ...known, ...scene });
    return last;
  });
}

describe("the record of a listener", () => {
  it("is a whole DNSRecord, owned by the Gateway", () => {
    const [record] = settled(world({ gateways: [web([A])] })).records;
    expect(record).toEqual({
      apiVersion: "vedette.dev/v1alpha1",
      kind: "DNSRecord",
      metadata: {
        name: "web-https",
        namespace: "shop",
        uid: "uid of web-https",
        labels: { "app.kubernetes.io/managed-by": "vedette-agent", "vedette.dev/gateway": "web" },
        annotations: { "vedette.dev/listener": "https", "vedette.dev/policy": "p" },
        ownerReferences: [
          {
            apiVersion: "gateway.networking.k8s.io/v1",
            kind: "Gateway",
            name: "web",
            uid: "uid of web",
            controller: true,
          },
        ],
      },
      spec: expect.objectContaining({ rootHost: "one.test", minPublished: 1, whenSilent: "Publish" }),
    });
    expect(recordSpec.parse(record?.spec).healthCheck).toMatchObject({
      protocol: "HTTPS",
      port: 443,
      path: "/healthz",
    });
  });

  it.each<[string, unknown[], Record<string, unknown>, Record<string, unknown> | undefined]>([
    ["HTTPS", [["l", "one.test", "HTTPS", 8443]], {}, { protocol: "HTTPS", port: 8443 }],
    ["TLS", [["l", "one.test", "TLS", 8443]], {}, { protocol: "HTTPS", port: 8443 }],
    ["HTTP", [["l", "one.test", "HTTP", 8080]], {}, { protocol: "HTTP", port: 8080 }],
    ["TCP", [["l", "one.test", "TCP", 5432]], {}, { protocol: "TCP", port: 5432 }],
    ["one of its own", [["l", "one.test", "x.test/quic", 443]], {}, undefined],
    [
      "one of its own, when told how to ask",
      [["l", "one.test", "x.test/quic", 8443]],
      { protocol: "HTTPS" },
      { protocol: "HTTPS", port: 443 },
    ],
    [
      "HTTPS, when told the port",
      [["l", "one.test", "HTTPS", 8443]],
      { port: 9443 },
      { protocol: "HTTPS", port: 9443 },
    ],
    [
      "HTTPS, when told to ask by HTTP: the default port",
      [["l", "one.test", "HTTPS", 8443]],
      { protocol: "HTTP" },
      { protocol: "HTTP", port: 80 },
    ],
    [
      "HTTPS, when told to ask by HTTP: the host's listener for it",
      [
        ["l", "one.test", "HTTPS", 8443],
        ["p", "one.test", "HTTP", 8080],
      ],
      { protocol: "HTTP" },
      { protocol: "HTTP", port: 8080 },
    ],
    [
      "HTTPS, when told to ask by TCP",
      [["l", "one.test", "HTTPS", 8443]],
      { protocol: "TCP" },
      { protocol: "TCP", port: 8443 },
    ],
  ])("is probed as its protocol says: %s", (_, listeners, healthCheck, expected) => {
    const policies = [policy("p", "web", { healthCheck })];
    const [record] = settled(world({ gateways: [web([A], { listeners })], policies })).records;
    const check = recordSpec.parse(record?.spec).healthCheck;
    expect(check && { protocol: check.protocol, port: check.port }).toEqual(expected);
  });

  it("is shared by all listeners of its host, by protocol, then by order; only one with a policy counts", () => {
    const listeners = [
      ["tcp", "one.test", "TCP"],
      ["plain", "one.test", "HTTP"],
      ["b", "ONE.test."],
      ["a", "one.test"],
    ];
    const gateways = [web([A], { listeners })];
    expect(published(settled(world({ gateways })))).toEqual({ "web-b": `one.test ${A}` });
    const policies = [policy("p", "web/tcp")];
    expect(published(settled(world({ gateways, policies })))).toEqual({ "web-tcp": `one.test ${A}` });
  });

  it("is there for a wildcard too, and not for a listener without host name", () => {
    const listeners = [["all", "*.one.test"], ["any"], ["empty", ""]];
    const after = settled(world({ gateways: [web([A], { listeners })] }));
    expect(published(after)).toEqual({ "web-all": `*.one.test ${A}` });
    expect(told(after)).toBe("Accepted: any, empty: It has no host name: there is no record of it.");
  });

  it("does not hold a Gateway's own name behind its wildcard, which would lead to itself", () => {
    const after = settled(world({ gateways: [web(["lb.one.test"], { listeners: [["all", "*.one.test"]] })] }));
    expect(after.records).toEqual([]);
    expect(told(after)).toBe(
      "Invalid: *.one.test: endpoints[0].targets: must not close a cycle: *.one.test → lb.one.test",
    );
  });

  it("keeps apart what other Gateways have for the same host", () => {
    const gateways = [web([A]), gateway("other", { listeners: [["https", "one.test"]], addresses: [B] })];
    const policies = [policy("p", "web"), policy("q", "other")];
    expect(published(settled(world({ gateways, policies })))).toEqual({
      "web-https": `one.test ${A}`,
      "other-https": `one.test ${B}`,
    });
  });
});

describe("addresses", () => {
  it("follow the Gateway, and stay while it has none", () => {
    const worlds = story(
      { gateways: [web([A, B])] },
      { gateways: [web([B])] },
      { gateways: [web([])] },
      { gateways: [web([A])] },
    );
    expect(worlds.map((one) => published(one)["web-https"])).toEqual([
      `one.test ${A} ${B}`,
      `one.test ${B}`,
      `one.test ${B}`,
      `one.test ${A}`,
    ]);
    expect(told(worlds[2]!)).toBe("Accepted: The Gateway has no address: records that exist keep their last ones.");
  });

  it("that stay are those of the host, whatever the record is called now", () => {
    const worlds = story({ gateways: [web([A])] }, { gateways: [web([], { listeners: [["tls", "one.test"]] })] });
    expect(published(worlds[1]!)).toEqual({ "web-tls": `one.test ${A}` });
  });

  it("that stay go with the listener to another host", () => {
    const worlds = story({ gateways: [web([A])] }, { gateways: [web([], { listeners: [["https", "two.test"]] })] });
    expect(published(worlds[1]!)).toEqual({ "web-https": `two.test ${A}` });
  });

  it("that stay take on the policy's new settings", () => {
    const policies = [policy("p", "web", { weight: 5, recordTTL: 30 })];
    const worlds = story({ gateways: [web(["lb.test"])] }, { gateways: [web([])], policies });
    expect(recordSpec.parse(worlds[1]?.records[0]?.spec).endpoints).toEqual([
      expect.objectContaining({ targets: ["lb.test"], setIdentifier: "lb.test", recordTTL: 30 }),
    ]);
  });

  it("make no record while there is none yet", () => {
    expect(settled(world({ gateways: [web([])] })).records).toEqual([]);
  });

  it("that cannot be read take none away", () => {
    const status = { addresses: [{ value: B }, { value: 7 }] };
    const worlds = story({ gateways: [web([A])] }, { gateways: [web([], { status })] });
    expect(published(worlds[1]!)).toEqual({ "web-https": `one.test ${A} ${B}` });
    expect(told(worlds[1]!)).toBe(
      'Accepted: Addresses that cannot be read, so that none is taken away until they can: {"value":7}.',
    );
  });

  it("that are left out are named", () => {
    const status = {
      addresses: [{ value: A }, { type: "Hostname", value: "lb.test" }, { type: "NamedAddress", value: "x" }],
    };
    const after = settled(world({ gateways: [web([], { status })] }));
    expect(published(after)).toEqual({ "web-https": `one.test ${A}` });
    expect(told(after)).toBe(
      'Accepted: Left out beside IP addresses, since a name cannot have both: lb.test. Left out, for DNS cannot hold them: NamedAddress "x".',
    );
  });
});
