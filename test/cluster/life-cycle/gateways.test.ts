import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { KubeClient } from "../../../agent/kubernetes/client.ts";
import { GATEWAY } from "../../../agent/kubernetes/kinds.ts";
import { addressOf } from "../../support/gateways.ts";
import { Scene } from "../support/scene.ts";
import { sharedCluster } from "../support/shared.ts";
import { until } from "../support/world.ts";

const ADDRESSES = ["127.0.0.91", "127.0.0.92"] as const;

let scene: Scene;
let client: KubeClient;

beforeAll(async () => {
  scene = await Scene.start(sharedCluster(), ADDRESSES, { settings: { LEADER_LEASE: "4s" } });
  client = new KubeClient(scene.world.cluster.config);
});
afterAll(async () => {
  await scene?.kubectl("delete", "gateways,dnshealthcheckpolicies", "--all", "-n", scene.namespace);
  await scene?.stop();
});
beforeEach(({ onTestFailed }) => onTestFailed(() => scene.explain()));

async function setAddresses(name: string, addresses: readonly string[]): Promise<void> {
  const { apiVersion, kind } = GATEWAY;
  const object = {
    apiVersion,
    kind,
    metadata: { name, namespace: scene.namespace },
    status: { addresses: addresses.map(addressOf) },
  };
  await client.apply(GATEWAY, object, { fieldManager: "gateways", subresource: "status" });
}

const policy = (name: string, ttl: number) => ({
  apiVersion: "vedette.dev/v1alpha1",
  kind: "DNSHealthCheckPolicy",
  metadata: { name, namespace: scene.namespace },
  spec: {
    targetRef: { name },
    recordTTL: ttl,
    healthCheck: { interval: "1s", timeout: "1s", failureThreshold: 1, staleAfter: "30s" },
  },
});

/** Makes a Gateway with one listener and a policy; resolves when its addresses are in DNS. */
async function publish(name: string, finalizers: string[] = []): Promise<string> {
  const hostname = `${name}.${scene.zone}`;
  await scene.world.apply(
    {
      apiVersion: GATEWAY.apiVersion,
      kind: GATEWAY.kind,
      metadata: { name, namespace: scene.namespace, finalizers },
      spec: { gatewayClassName: "any", listeners: [{ name: "web", hostname, protocol: "HTTP", port: scene.port }] },
    },
    policy(name, 60),
  );
  await setAddresses(name, ADDRESSES);
  await scene.untilPublished(hostname, ADDRESSES);
  return hostname;
}

const ttlOf = async (name: string) =>
  (
    await scene.world.get<{ spec: { endpoints: { recordTTL: number }[] } }>(
      "dnsendpoints",
      scene.namespace,
      `${name}-web`,
    )
  )?.spec.endpoints[0]?.recordTTL;

test("a Gateway whose list of addresses is empty for a while keeps the last ones, and takes the next", async () => {
  const host = await publish("empty");
  const mark = scene.published.mark(host);
  await setAddresses("empty", []);
  // A change after it that is seen in DNS: by then the empty list has been worked on.
  await scene.world.apply(policy("empty", 30));
  await until("the later change to be in DNS", async () => (await ttlOf("empty")) === 30);
  await scene.world.replicas[0]!.process.stop("SIGKILL");
  await scene.world.replicas[0]!.process.start();
  await scene.world.apply(policy("empty", 45));
  await until("a change after a restart to be in DNS", async () => (await ttlOf("empty")) === 45);
  scene.gateways[0]!.status = 500;
  await scene.untilPublished(host, ADDRESSES.slice(1));
  scene.gateways[0]!.status = 200;
  await scene.untilPublished(host, ADDRESSES);
  await setAddresses("empty", ADDRESSES.slice(0, 1));
  await scene.untilPublished(host, ADDRESSES.slice(0, 1));
  expect(scene.published.since(host, mark)).toEqual([
    ADDRESSES.join(" "),
    ADDRESSES[1],
    ADDRESSES.join(" "),
    ADDRESSES[0],
  ]);
});

test("a Gateway that is being deleted leaves at once, also where another's finalizer holds it", async () => {
  const host = await publish("held", ["example.com/held"]);
  await scene.kubectl("delete", "gateway", "held", "-n", scene.namespace, "--wait=false");
  await scene.untilPublished(host, []);
  await until("its record to be gone", async () => (await scene.read("held-web")) === undefined);
  const held = await scene.world.get<{ metadata: { finalizers: string[] } }>("gateway", scene.namespace, "held");
  expect(held?.metadata.finalizers).toEqual(["example.com/held"]);
  await scene.kubectl(
    "patch",
    "gateway",
    "held",
    "-n",
    scene.namespace,
    "--type=merge",
    "-p",
    '{"metadata":{"finalizers":null}}',
  );
});
