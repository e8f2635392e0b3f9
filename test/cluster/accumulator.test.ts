import { setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, expect, test } from "vitest";
import { stringify } from "yaml";
import { KubeClient } from "../../agent/kubernetes/client.ts";
import { DNS_ENDPOINT } from "../../agent/kubernetes/kinds.ts";
import { freePort } from "../support/free-port.ts";
import { startControlPlane } from "./support/control-plane.ts";
import { startCountingGateway } from "./support/counting-gateway.ts";
import { installCrds } from "./support/crds.ts";
import { ClusterWorld, until } from "./support/world.ts";

const RECORDS = 35;
const ADDRESSES = ["127.0.0.191", "127.0.0.192"] as const;
/** One good check publishes a record, so that the storm does not wait for probes. */
const CHECK = { interval: "20s", timeout: "5s", successThreshold: 1, regions: ["weur"] };
/** Looking more often would take the processors from what is measured. */
const POLL_MS = 500;
const MIB = 2 ** 20;
/** What the Deployment allows a pod. */
const MEMORY_LIMIT_MIB = 512;

/** As Node bounds its heap by itself where the memory is so limited. */
const AS_IN_A_POD = [`--max-old-space-size=${MEMORY_LIMIT_MIB / 2}`];

let opened: AsyncDisposableStack;
afterEach(() => opened?.disposeAsync());

interface Result {
  namespaces: number;
  windowMs: number;
  /** From before the first apply until all is applied, and until all is published. */
  appliedMs: number;
  publishedMs: number;
  /** For how long the snapshots were counted. */
  countedMs: number;
  pushes: number;
  idleMib: number;
  peakMib: number;
  cpuSeconds: number;
}

/** The records of a namespace: each with two addresses and a health check. */
const recordsOf = (namespace: string, port: number) =>
  Array.from({ length: RECORDS }, (_, n) => {
    const rootHost = `r${n}.${namespace}.storm.test`;
    return {
      apiVersion: "vedette.dev/v1alpha1",
      kind: "DNSRecord",
      metadata: { name: `r${n}`, namespace },
      spec: {
        rootHost,
        endpoints: [{ dnsName: rootHost, recordType: "A", targets: ADDRESSES }],
        healthCheck: { protocol: "HTTP", port, ...CHECK },
      },
    };
  });

/** Applies the records of so many namespaces at once to a cluster of their own, and measures until all is in DNS. */
async function storm(namespaces: number, windowMs: number, port: number): Promise<Result> {
  const plane = opened.adopt(await startControlPlane({ controllerManager: false }), (one) => one.stop());
  await installCrds(plane);
  const window = { RECONFIG_MAX_DELAY: `${windowMs / 1_000}s` };
  const edgeSettings = { VEDETTE_RECONFIG_MAX_DELAY: `${windowMs / 1_000}s` };
  const world = await ClusterWorld.start(plane, {
    hosts: ["*.storm.test"],
    settings: window,
    edgeSettings,
    nodeArgs: AS_IN_A_POD,
  });
  opened.defer(() => world.stop());
  const replica = world.replicas[0]!;
  await until("the first, empty snapshot to be pushed", async () => (await pushes(world)) > 0);
  const names = await Promise.all(Array.from({ length: namespaces }, () => plane.freshNamespace("storm")));
  const files = names.map((name) =>
    recordsOf(name, port)
      .map((one) => stringify(one))
      .join("---\n"),
  );
  const from = Date.now();
  const [before, idleMib] = [await pushes(world), replica.peakBytes / MIB];
  await Promise.all(files.map((file) => plane.kubectlOk(["create", "-f", "-"], file)));
  const appliedMs = Date.now() - from;
  const client = new KubeClient(plane.config);
  let count = 0;
  await until(
    `${namespaces * RECORDS} records to be published`,
    async () => {
      await pause(POLL_MS);
      count = (await client.list(DNS_ENDPOINT)).items.length;
      return count === namespaces * RECORDS;
    },
    600_000,
    () => count,
  );
  const publishedMs = Date.now() - from;
  const pushed = (await pushes(world)) - before;
  const countedMs = Date.now() - from;
  const cpuSeconds = await replica.metric("process_cpu_seconds_total");
  return {
    namespaces,
    windowMs,
    appliedMs,
    publishedMs,
    countedMs,
    pushes: pushed,
    idleMib,
    peakMib: replica.peakBytes / MIB,
    cpuSeconds,
  };
}

/** What the system sent whose load this is. */
const BEFORE = `1 × ${RECORDS}: 118 snapshots, then 16 with a window; 6 × ${RECORDS}: out of memory`;
const results: Result[] = [];
afterAll(() => console.log(`accumulator:\n${results.map(rowOf).join("\n")}\n  the system before: ${BEFORE}`));

const pushes = (world: ClusterWorld) => world.replicas[0]!.metric("vedette_agent_snapshot_pushes_total");

test.for([1, 6, 15])(
  "35 records in each of %i namespaces at once: no more snapshots than windows, and little memory",
  { timeout: 800_000 },
  async (namespaces) => {
    opened = new AsyncDisposableStack();
    const port = await freePort();
    for (const address of ADDRESSES) opened.adopt(await startCountingGateway(address, port, 0), (one) => one.stop());
    for (const result of await Promise.all([storm(namespaces, 1_000, port), storm(namespaces, 10_000, port)])) {
      results.push(result);
      expect(result.pushes).toBeGreaterThan(0);
      expect(result.pushes).toBeLessThanOrEqual(result.countedMs / result.windowMs + 2);
      expect(result.peakMib).toBeLessThan(MEMORY_LIMIT_MIB);
    }
  },
);

const rowOf = (r: Result) =>
  `  ${r.namespaces} × ${RECORDS} records, window ${r.windowMs / 1_000} s: ${r.pushes} snapshots; applied in ${r.appliedMs} ms, published in ${r.publishedMs} ms; peak ${r.peakMib.toFixed(0)} MiB (idle ${r.idleMib.toFixed(0)}), ${r.cpuSeconds.toFixed(1)} s of CPU`;
