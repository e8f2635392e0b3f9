import { afterAll, beforeAll, expect, test } from "vitest";
import { type Gateway, makeGatewayIdentities, startGateway } from "../../local/sample-gateways.ts";
import { startGateways, type TestGateway } from "../e2e/support/gateways.ts";
import { freePort } from "../support/free-port.ts";
import { type KubectlWatch, startKubectlWatch } from "./support/kubectl-watch.ts";
import { sharedCluster } from "./support/shared.ts";
import { ClusterWorld, until } from "./support/world.ts";

const ADDRESSES = ["127.0.0.111", "127.0.0.112"];
const [FIRST, SECOND] = ADDRESSES as [string, string];
const OURS = "dnsrecords.vedette.dev,dnshealthcheckprobes,dnsendpoints";

const identities = await makeGatewayIdentities(["*.example.test"], Date.now());
let world: ClusterWorld;
let namespace: string;
let watch: KubectlWatch | undefined;
let httpsPort: number;
let httpPort: number;
/** What answers for the listeners of one Gateway: HTTPS by Node; HTTP by nginx at one address, by haproxy at the other. */
const secure: Gateway[] = [];
let plain: TestGateway[] = [];

beforeAll(async () => {
  [httpsPort, httpPort] = [await freePort(), await freePort()];
  for (const [index, address] of ADDRESSES.entries())
    secure.push(await startGateway({ number: index, address, port: httpsPort, identities }));
  plain = await startGateways(ADDRESSES, httpPort);
  world = await ClusterWorld.start(sharedCluster(), {
    hosts: ["*.example.test"],
    edgeSettings: { EXTRA_ROOTS: identities.authority },
  });
  namespace = await world.cluster.freshNamespace("black-box");
});
afterAll(async () => {
  await watch?.stop();
  await world?.stop();
  await Promise.all([...secure, ...plain].map((gateway) => gateway.stop()));
});

const kubectl = (...args: string[]) => world.cluster.kubectlOk(["-n", namespace, ...args]);

const gatewayManifest = () => `
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: { name: public, namespace: ${namespace} }
spec:
  gatewayClassName: any
  listeners:
    - name: https
      hostname: shop.example.test
      protocol: HTTPS
      port: ${httpsPort}
      tls: { certificateRefs: [{ name: shop }] }
    - name: http
      hostname: www.example.test
      protocol: HTTP
      port: ${httpPort}
`;

const policyManifest = () => `
apiVersion: vedette.dev/v1alpha1
kind: DNSHealthCheckPolicy
metadata: { name: public, namespace: ${namespace} }
spec:
  targetRef: { name: public }
  recordTTL: 30
  healthCheck: { path: /healthz, interval: 1s, timeout: 1s, failureThreshold: 1 }
`;

const apply = (manifest: string) => world.cluster.kubectlOk(["apply", "-f", "-"], manifest);

/** Says in the status of the Gateway where it is, as its implementation does. */
async function setAddresses(addresses: readonly string[]): Promise<void> {
  const status = { addresses: addresses.map((value) => ({ type: "IPAddress", value })) };
  await kubectl("patch", "gateway", "public", "--subresource=status", "--type=merge", "-p", JSON.stringify({ status }));
}

const TARGETS = "jsonpath={.spec.endpoints[*].targets[*]}";

async function untilInEndpoint(name: string, ...addresses: string[]): Promise<void> {
  let seen = "";
  const isSo = async () => {
    seen = await kubectl("get", "dnsendpoint", name, "--ignore-not-found", "-o", TARGETS);
    return seen === addresses.join(" ");
  };
  await until(`the DNSEndpoint ${name} to hold ${addresses.join(" ")}`, isSo, 45_000, () => seen);
}

/** Waits until the watch has printed, from a line on, that a probe is so. */
async function untilWatched(from: number, name: string, wanted: Record<string, string>) {
  const isSo = (row: Readonly<Record<string, string>>) =>
    row.NAME === name && Object.entries(wanted).every(([column, text]) => row[column] === text);
  const newest = () =>
    watch
      ?.rows()
      .slice(from)
      .filter((row) => row.NAME === name)
      .at(-1);
  return await until(`the watch to show ${name}`, () => watch?.rows().slice(from).find(isSo), 45_000, newest);
}

const rowsSeen = () => watch?.rows().length ?? 0;

/** Written by a user and by the implementation of the Gateway. Applied again, it changes nothing. */
async function applyAll(): Promise<void> {
  await apply(gatewayManifest());
  await apply(policyManifest());
  await setAddresses(ADDRESSES);
  for (const name of ["public-https", "public-http"]) await untilInEndpoint(name, FIRST, SECOND);
}

test("a user with kubectl sees why an address of a Gateway leaves DNS, and when it returns", async ({
  onTestFailed,
}) => {
  onTestFailed(async () => {
    console.log(watch?.text());
    await world.explain(namespace);
  });
  watch = await startKubectlWatch(world.cluster, ["dnshealthcheckprobes", "-n", namespace]);
  await applyAll();
  for (const name of ["public-https", "public-http"])
    for (const address of ADDRESSES) await untilWatched(0, `${name}-${address}`, { HEALTHY: "true", REASON: "Ok" });
  await kubectl("wait", "--for=condition=Healthy", "dnsrecords.vedette.dev", "--all", "--timeout=30s");
  expect(Object.keys(watch.rows()[0]!)).toEqual([
    "NAME",
    "RECORD",
    "ADDRESS",
    "HEALTHY",
    "FAILURES",
    "REASON",
    "LAST CHECK",
    "AGE",
  ]);

  const mark = rowsSeen();
  await secure[0]!.change("expired");
  await untilInEndpoint("public-https", SECOND);
  const row = await untilWatched(mark, `public-https-${FIRST}`, { HEALTHY: "false" });
  expect(row).toMatchObject({ RECORD: "public-https", ADDRESS: FIRST, REASON: "CertificateExpired" });
  expect(Number(row.FAILURES)).toBeGreaterThan(1);
  const probe = await kubectl("describe", "dnshealthcheckprobe", `public-https-${FIRST}`);
  expect(probe).toMatch(/Message: .*expired/i);
  const record = await kubectl("describe", "dnsrecords.vedette.dev", "public-https");
  expect(record).toContain(`Unhealthy: ${FIRST}.`);
  expect(record).toMatch(/Warning +EndpointsWithdrawn/);
  console.log(probe);
  console.log(record);
  console.log(await kubectl("get", `${OURS},dnshealthcheckpolicies,gateways`, "-o", "wide"));
  await untilInEndpoint("public-http", FIRST, SECOND);

  const broken = rowsSeen();
  await secure[0]!.change(undefined);
  await untilInEndpoint("public-https", FIRST, SECOND);
  await untilWatched(broken, `public-https-${FIRST}`, { HEALTHY: "true", REASON: "Ok" });
  console.log(watch.text());
  console.log(await kubectl("events"));
});

const left = async () =>
  (await kubectl("get", OURS, "-o", "name", "--ignore-not-found")).split("\n").filter((line) => line !== "");

async function untilNothingLeft(): Promise<void> {
  let seen: string[] = [];
  const isGone = async () => {
    seen = await left();
    return seen.length === 0;
  };
  await until("all that was made to go", isGone, 45_000, () => seen);
}

test("what was made goes with the policy, is made again with it, and goes with the Gateway", async ({
  onTestFailed,
}) => {
  onTestFailed(() => world.explain(namespace));
  await secure[0]!.change(undefined);
  await applyAll();
  expect(await left()).toHaveLength(8);
  await kubectl("delete", "dnshealthcheckpolicy", "public");
  await untilNothingLeft();
  await applyAll();
  expect(await left()).toHaveLength(8);
  await kubectl("delete", "gateway", "public");
  await untilNothingLeft();
  const accepted = "jsonpath={.status.ancestors[0].conditions[0].reason} {.status.ancestors[0].conditions[0].message}";
  let told = "";
  const isSpecChange = async () => {
    told = await kubectl("get", "dnshealthcheckpolicy", "public", "-o", accepted);
    return told.startsWith("TargetNotFound");
  };
  await until("the policy to say so", isSpecChange, 20_000, () => told);
  console.log(told);
  expect(await world.edge.record("shop.example.test")).toBeUndefined();
});
