import { afterAll, beforeAll, expect, test } from "vitest";
import { type Gateway, startGateway } from "../../local/gateways.ts";
import { freePort } from "../support/free-port.ts";
import { sharedCluster } from "./support/shared.ts";
import { ClusterWorld, until } from "./support/world.ts";

const ADDRESSES = ["127.0.0.61", "127.0.0.62"] as const;
let world: ClusterWorld;
let namespace: string;
let port: number;
const gateways: Gateway[] = [];

beforeAll(async () => {
  port = await freePort();
  for (const [index, address] of ADDRESSES.entries())
    gateways.push(await startGateway({ number: index, address, port }));
  world = await ClusterWorld.start(sharedCluster(), { hosts: ["*.example.test"] });
  namespace = await world.cluster.freshNamespace();
});
afterAll(async () => {
  await world?.stop();
  await Promise.all(gateways.map((gateway) => gateway.stop()));
});

test("a record is published, and its broken address withdrawn", async ({ onTestFailed }) => {
  onTestFailed(() => world.explain(namespace));
  await world.apply({
    apiVersion: "vedette.dev/v1alpha1",
    kind: "DNSRecord",
    metadata: { name: "api", namespace },
    spec: {
      rootHost: "api.example.test",
      endpoints: [{ dnsName: "api.example.test", recordType: "A", targets: ADDRESSES }],
      healthCheck: { protocol: "HTTP", port, interval: "1s", timeout: "500ms", failureThreshold: 1, staleAfter: "30s" },
    },
  });
  const targets = async () => {
    const endpoint = await world.get<{ spec: { endpoints: { targets: string[] }[] } }>("dnsendpoint", namespace, "api");
    return endpoint?.spec.endpoints.flatMap((one) => one.targets).join(" ");
  };
  await until("both published", async () => (await targets()) === ADDRESSES.join(" "));
  await gateways[0]!.change("status");
  await until("one withdrawn", async () => (await targets()) === ADDRESSES[1]);
  console.log(await world.cluster.kubectlOk(["get", "dnsr,dnshealthcheckprobes", "-n", namespace]));
  console.log(await world.cluster.kubectlOk(["get", "events", "-n", namespace]));
  await gateways[0]!.change(undefined);
  await until("both again", async () => (await targets()) === ADDRESSES.join(" "));
  expect(await world.replicas[0]!.isLeader()).toBe(true);
});
