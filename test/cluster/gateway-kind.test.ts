import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { KubeClient } from "../../agent/kubernetes/client.ts";
import { DNS_HEALTH_CHECK_POLICY, DNS_RECORD } from "../../agent/kubernetes/kinds.ts";
import { until } from "../e2e/support/until.ts";
import { gateway, policy } from "../support/gateways.ts";
import { type ControlPlane, startControlPlane } from "./support/control-plane.ts";
import { startGatewayAgent } from "./support/gateway-agent.ts";
import { sourceOf } from "./support/go.ts";

const asUser = { fieldManager: "user" };
const opened = new AsyncDisposableStack();
let plane: ControlPlane;

beforeAll(async () => {
  plane = await startControlPlane({ controllerManager: false });
  opened.defer(() => plane.stop());
  await install(join(import.meta.dirname, "..", "..", "deploy", "crds"));
});
afterAll(() => opened.disposeAsync());

async function install(place: string): Promise<void> {
  await plane.kubectlOk(["apply", "--server-side", "-f", place]);
  await plane.kubectlOk(["wait", "--for=condition=Established", "--timeout=60s", "crd", "--all"]);
}

test("while the cluster does not know Gateways, the records of former ones stay; once it does, they follow", async () => {
  const client = new KubeClient(plane.config);
  const namespace = await plane.freshNamespace();
  const held = await client.apply(DNS_RECORD, recordOf(namespace), { fieldManager: "vedette-agent" });
  await client.apply(DNS_HEALTH_CHECK_POLICY, { ...policy("p", "web"), metadata: { name: "p", namespace } }, asUser);
  const agent = startGatewayAgent(client, namespace);
  opened.defer(() => agent.stop());
  const told = async () =>
    JSON.stringify((await client.get(DNS_HEALTH_CHECK_POLICY, { namespace, name: "p" }))?.status ?? {});
  const untilTold = (words: string) =>
    until(`the policy to be told ${words}`, async () => (await told()).includes(words));
  const record = () => client.get(DNS_RECORD, { namespace, name: "web-https" });

  await untilTold("does not serve Gateways");
  expect(await record()).toEqual(held);

  const gatewayApi = await sourceOf("gateway-api", "sigs.k8s.io/gateway-api");
  await install(join(gatewayApi, "config", "crd", "standard", "gateway.networking.k8s.io_gateways.yaml"));
  await untilTold("There is no Gateway web");
  await until("the record to go, now that its Gateway is known to be gone", async () => (await record()) === undefined);

  const { status: _, ...web } = gateway("web", { listeners: [["https", "one.test", "HTTP", 80]] });
  const whole = { ...web, metadata: { name: "web", namespace } };
  await plane.kubectlOk(["apply", "-f", "-"], JSON.stringify(whole));
  const addresses = { status: { addresses: [{ value: "192.0.2.2" }] } };
  const patch = ["patch", "gateway", "web", "-n", namespace, "--subresource=status", "--type=merge"];
  await plane.kubectlOk([...patch, "-p", JSON.stringify(addresses)]);
  await until("a record", async () => (await record()) !== undefined);
  await untilTold('"reason":"Accepted"');
});

/** As it was made when the cluster knew Gateways. */
const recordOf = (namespace: string) => ({
  apiVersion: DNS_RECORD.apiVersion,
  kind: DNS_RECORD.kind,
  metadata: {
    name: "web-https",
    namespace,
    labels: { "app.kubernetes.io/managed-by": "vedette-agent" },
    ownerReferences: [
      { apiVersion: "gateway.networking.k8s.io/v1", kind: "Gateway", name: "web", uid: "former", controller: true },
    ],
  },
  spec: {
    rootHost: "one.test",
    endpoints: [{ dnsName: "one.test", recordType: "A", targets: ["192.0.2.1"] }],
  },
});
