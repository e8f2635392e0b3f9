import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CLUSTER } from "../../../local/parts.ts";
import { HOST, type StackEvent } from "../../../local/plan.ts";
import { Stack } from "../../../local/stack.ts";
import { type ClusterView, clusterView } from "../../../shared/model/cluster.ts";
import { freePort } from "../../support/free-port.ts";
import { DnsRecorder } from "./dns.ts";
import { startGateways, type TestGateway } from "./gateways.ts";

export type World = {
  stack: Stack;
  gateways: TestGateway[];
  gatewayPort: number;
  dns: { host: string; port: number };
  /** The folder whose manifests the agent reads. */
  recordsFolder: string;
  /** The folder of state and logs, whole. */
  state: string;
  events: StackEvent[];
  write(file: string, text: string): void;
  /** Watches a name from now until the world ends. */
  record(name: string): DnsRecorder;
  /** How the edge sees the cluster of the stack; undefined while it does not answer. */
  readCluster(): Promise<ClusterView | undefined>;
  /** Prints what the edge says of a record, and the ends of the logs: for a test that failed. */
  explain(rootHost: string): Promise<void>;
  stop(): Promise<void>;
};

export type WorldPlan = {
  addresses?: readonly string[];
  /** The first manifests by file name, given the port of the gateways. */
  records: (gatewayPort: number) => Record<string, string>;
  edgeStaleAfterMs?: number;
  edgeSettings?: Record<string, string>;
  /** Authorities that HTTPS probes trust, in PEM. */
  extraRoots?: string;
};

/** Starts the stack of `npm start` on free ports with a state folder of its own, and gateways of the test's. */
export async function startWorld(plan: WorldPlan): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), "vedette-e2e-"));
  const recordsFolder = join(folder, "records");
  mkdirSync(recordsFolder);
  const write = (file: string, text: string) => writeFileSync(join(recordsFolder, file), text);
  const ports = {
    edge: await freePort(),
    agent: await freePort(),
    dns: await freePort(),
    control: await freePort(),
    gateway: await freePort(),
  };
  for (const [file, text] of Object.entries(plan.records(ports.gateway))) write(file, text);
  const gateways = await startGateways(plan.addresses ?? [], ports.gateway);
  const events: StackEvent[] = [];
  const recorders: DnsRecorder[] = [];
  const stack = await Stack.start(
    {
      records: recordsFolder,
      state: join(folder, "state"),
      fresh: false,
      edgeStaleAfterMs: plan.edgeStaleAfterMs ?? 300_000,
      ports,
      ...(plan.extraRoots === undefined ? {} : { extraRoots: plan.extraRoots }),
      ...(plan.edgeSettings === undefined ? {} : { edgeSettings: plan.edgeSettings }),
    },
    (event) => events.push(event),
    new AbortController().signal,
  );
  const dns = { host: HOST, port: ports.dns };
  const world: World = {
    stack,
    gateways,
    gatewayPort: ports.gateway,
    dns,
    recordsFolder,
    state: join(folder, "state"),
    events,
    write,
    record(name) {
      const recorder = new DnsRecorder(dns, name);
      recorders.push(recorder);
      return recorder;
    },
    readCluster: async () => clusterView.safeParse(await stack.readEdge(`/v1/clusters/${CLUSTER}`)).data,
    async explain(rootHost) {
      console.log(JSON.stringify({ record: await stack.readRecord(rootHost), cluster: await world.readCluster() }));
      for (const name of ["edge", "agent"]) console.log(`${name}.log\n${logOf(stack, name).slice(-3_000)}`);
    },
    async stop() {
      await Promise.all(recorders.map((recorder) => recorder.stop()));
      await stack.stop();
      await Promise.all(gateways.map((gateway) => gateway.stop()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return world;
}

/** What a part of the stack has logged until now. */
export function logOf(stack: Stack, name: string): string {
  return readFileSync(join(stack.folders.state, `${name}.log`), "utf8");
}
