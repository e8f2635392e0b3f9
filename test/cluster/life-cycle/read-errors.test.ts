import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { KubeClient } from "../../../agent/kubernetes/client.ts";
import { GATEWAY } from "../../../agent/kubernetes/kinds.ts";
import { addressOf } from "../../support/gateways.ts";
import { Scene } from "../support/scene.ts";
import { sharedCluster } from "../support/shared.ts";
import { until } from "../support/world.ts";

const ADDRESSES = ["127.0.0.131", "127.0.0.132"] as const;
const ALL = ["dnsrecords", "gateways", "dnshealthcheckpolicies", "dnsendpoints", "dnshealthcheckprobes"];
const READING = ["get", "list", "watch"];

let scene: Scene;
let hosts: string[];

beforeAll(async () => {
  // So that what may not be read any more is soon asked for again.
  scene = await Scene.start(sharedCluster(), ADDRESSES, { settings: { RESYNC: "10s" } });
  const { namespace, zone, port, world } = scene;
  hosts = [`own.${zone}`, `web.${zone}`];
  const { apiVersion, kind } = GATEWAY;
  const metadata = { name: "web", namespace };
  const listeners = [{ name: "web", hostname: `web.${zone}`, protocol: "HTTP", port }];
  const healthCheck = { interval: "1s", timeout: "1s", failureThreshold: 1, staleAfter: "30s" };
  await world.apply(
    scene.record("own", { rootHost: `own.${zone}`, addresses: ADDRESSES }),
    { apiVersion, kind, metadata, spec: { gatewayClassName: "any", listeners } },
    {
      apiVersion: "vedette.dev/v1alpha1",
      kind: "DNSHealthCheckPolicy",
      metadata,
      spec: { targetRef: { name: "web" }, healthCheck },
    },
  );
  const status = { addresses: ADDRESSES.map(addressOf) };
  const asController = { fieldManager: "gateways", subresource: "status" } as const;
  await new KubeClient(world.cluster.config).apply(GATEWAY, { apiVersion, kind, metadata, status }, asController);
  await untilAll(ADDRESSES);
});
afterAll(async () => {
  await scene?.kubectl("delete", "gateways,dnshealthcheckpolicies", "--all", "-n", scene.namespace);
  await scene?.stop();
});
beforeEach(({ onTestFailed }) => onTestFailed(() => scene.explain()));

const replica = () => scene.world.replicas[0]!;

async function untilAll(addresses: readonly string[]): Promise<void> {
  for (const host of hosts) await scene.untilPublished(host, addresses);
}

/** Waits until the agent has said this, from a place in its log on. */
const untilSaid = (text: string, from: number) =>
  until(`the agent to say "${text}"`, () => replica().log.slice(from).includes(text));

test.each([["dnsrecords"], ["gateways"], ["dnsendpoints"]])(
  "%s that may not be read for a while: nothing leaves DNS but what fails, and all is read again by itself",
  async (resource) => {
    const marks = hosts.map((host) => scene.published.mark(host));
    const happened = scene.published.objects.length;
    const from = replica().log.length;
    await scene.withoutRights(READING, [resource], async () => {
      await untilSaid(`The ${resource} of the cluster cannot be read, the last known ones stay`, from);
      scene.gateways[0]!.status = 500;
      await untilAll([ADDRESSES[1]]);
      scene.gateways[0]!.status = 200;
      await untilAll(ADDRESSES);
    });
    await untilSaid(`The ${resource} of the cluster are read again`, from);
    expect(hosts.map((host, index) => scene.published.since(host, marks[index]!))).toEqual(
      hosts.map(() => [ADDRESSES.join(" "), ADDRESSES[1], ADDRESSES.join(" ")]),
    );
    expect(scene.published.objects.slice(happened)).toEqual([]);
  },
);

test("started while it may read nothing: not ready, leads not, and nothing leaves DNS; with its rights back it goes on", async () => {
  const marks = hosts.map((host) => scene.published.mark(host));
  const happened = scene.published.objects.length;
  await replica().process.stop("SIGTERM");
  const from = replica().log.length;
  await scene.withoutRights(READING, ALL, async () => {
    await replica().process.start();
    for (const resource of ALL) await untilSaid(`The ${resource} of the cluster cannot be read`, from);
    expect([await replica().isReady(), await replica().isLeader()]).toEqual([false, false]);
    const answer = await fetch(`http://127.0.0.1:${replica().operationsPort}/readyz`);
    console.log(`${answer.status}: ${await answer.text()}`);
  });
  await until("it to lead", () => replica().isLeader());
  scene.gateways[0]!.status = 500;
  await untilAll([ADDRESSES[1]]);
  scene.gateways[0]!.status = 200;
  await untilAll(ADDRESSES);
  expect(hosts.map((host, index) => scene.published.since(host, marks[index]!))).toEqual(
    hosts.map(() => [ADDRESSES.join(" "), ADDRESSES[1], ADDRESSES.join(" ")]),
  );
  expect(scene.published.objects.slice(happened)).toEqual([]);
});
