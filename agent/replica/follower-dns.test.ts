import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { dnsRecord } from "../../test/support/agent/kube-objects.ts";
import { DNS_HEALTH_CHECK_PROBE } from "../kubernetes/kinds.ts";
import type { KubeObject } from "../kubernetes/object.ts";
import type { Zones } from "../publish/dns-server/respond.ts";
import { readSettings } from "../runtime/settings.ts";
import type { Settings } from "../runtime/settings-schema.ts";
import { FollowerDns, type FollowerDnsOptions, publishedHosts } from "./follower-dns.ts";
import { PendingDecisions } from "./pending-decisions.ts";

const endpoint = (host: string, ...targets: string[]) => ({ dnsName: host, recordType: "A", recordTTL: 60, targets });
const showing = (name: string, host: string, ...targets: string[]) =>
  dnsRecord({ name, host, status: { conditions: [], published: [endpoint(host, ...targets)] } });
const leaving = (record: KubeObject): KubeObject => ({
  ...record,
  metadata: { ...record.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" },
});

describe("what the statuses say is in DNS", () => {
  const host = "api.test";
  it.each<[string, KubeObject[], Record<string, string[] | undefined>]>([
    ["of each host", [showing("api", host, "192.0.2.1")], { [host]: ["192.0.2.1"] }],
    ["nothing is decided where a status does not say", [dnsRecord({ name: "api", host })], { [host]: undefined }],
    [
      "nothing is decided where a status cannot be read",
      [dnsRecord({ name: "api", host, status: { published: "all" } })],
      { [host]: undefined },
    ],
    ["a record that is being deleted says nothing", [leaving(showing("api", host, "192.0.2.1"))], {}],
    ["a record without a host that can be read is no host", [dnsRecord({ name: "api", spec: { rootHost: 7 } })], {}],
    [
      "of two records of a host the one that says something counts, in either order",
      [dnsRecord({ name: "new", host }), showing("old", host, "192.0.2.1"), dnsRecord({ name: "newer", host })],
      { [host]: ["192.0.2.1"] },
    ],
    [
      "the host of the form that was accepted last, while the spec is refused",
      [
        dnsRecord({
          name: "api",
          host: "elsewhere.test",
          status: { published: [endpoint(host, "192.0.2.1")], lastAccepted: { spec: { rootHost: host } } },
        }),
      ],
      { [host]: ["192.0.2.1"] },
    ],
    [
      "what another version wrote beside it is no matter",
      [dnsRecord({ name: "api", host, status: { conditions: "none", published: [endpoint(host, "192.0.2.1")] } })],
      { [host]: ["192.0.2.1"] },
    ],
    [
      "nothing is decided of a host that the status is not about yet",
      [showing("api", "former.test", "192.0.2.1")].map((record) => ({ ...record, spec: { rootHost: host } })),
      { [host]: undefined },
    ],
    [
      "nothing, where that is what was decided",
      [dnsRecord({ name: "api", host, status: { conditions: [], published: [] } })],
      { [host]: [] },
    ],
  ])("%s", (_, records, expected) => {
    const hosts = publishedHosts(records).map(({ rootHost, endpoints }) => [
      rootHost,
      endpoints?.flatMap(({ targets }) => targets),
    ]);
    expect(Object.fromEntries(hosts)).toEqual(expected);
  });
});

describe("a replica that does not lead", () => {
  let world: {
    records: KubeObject[];
    isSynced: boolean;
    isLeader: boolean;
    serial: string | undefined;
    served: Zones[];
  };
  let follower: FollowerDns;

  beforeEach(() => {
    vi.useFakeTimers();
    world = {
      records: [showing("api", "api.test", "192.0.2.1")],
      isSynced: true,
      isLeader: false,
      serial: "7",
      served: [],
    };
  });
  afterEach(async () => {
    await follower.stop();
    vi.useRealTimers();
  });

  const settings = readSettings([], {
    VEDETTE_KUBERNETES: "true",
    VEDETTE_EDGE_URL: "https://edge.test",
    VEDETTE_CLUSTER: "here",
    VEDETTE_SECRET: `whsec_${btoa("x".repeat(32))}`,
  }) as Settings;

  function start(): void {
    const caches = {
      records: {
        list: () => world.records,
        get isSynced() {
          return world.isSynced;
        },
      },
    };
    const lease = (serial: string): KubeObject => ({
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name: "vedette-here-edge", annotations: { "vedette.dev/serial": serial } },
    });
    const get = async () => {
      if (world.serial === undefined) throw new Error("cannot be read");
      return lease(world.serial);
    };
    follower = new FollowerDns({
      settings,
      caches: caches as unknown as FollowerDnsOptions["caches"],
      unstored: new PendingDecisions("here"),
      client: { get },
      namespace: "system",
      serve: (zones) => world.served.push(zones),
      isLeader: () => world.isLeader,
      log: () => {},
    });
  }

  const look = () => vi.advanceTimersByTimeAsync(500);
  const serials = () => world.served.map((zones) => zones.get("api.test")?.serial);

  it("answers once the records are known, again where they change, and not for anything else", async () => {
    world.isSynced = false;
    start();
    await look();
    expect(world.served).toEqual([]);
    world.isSynced = true;
    await look();
    await look();
    expect(world.served).toHaveLength(1);
    follower.changed(DNS_HEALTH_CHECK_PROBE);
    await look();
    expect(world.served).toHaveLength(1);
    follower.changed();
    await look();
    expect(world.served).toHaveLength(2);
  });

  it("gives zones the leader's serial, the last known while it cannot be read, and none that goes back", async () => {
    start();
    await look();
    for (const serial of [undefined, "9", "8"]) {
      world.serial = serial;
      follower.changed();
      await look();
    }
    expect(serials()).toEqual([7, 7, 9, 9]);
  });

  it("is silent while it leads, also where it came to lead while it looked", async () => {
    world.isLeader = true;
    start();
    await look();
    expect(world.served).toEqual([]);
  });
});
