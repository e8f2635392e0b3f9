import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../support/free-port.ts";
import { Daemon } from "./daemon.ts";
import { guard } from "./guard.ts";

const HOST = "127.0.0.1";
const AGENT = join(import.meta.dirname, "..", "..", "..", "agent", "main.ts");
const FIRST = /^(\w+?)(?:\{(.*)\})? (\S+)$/;

export interface ReplicaPlan {
  kubeconfig: string;
  edgeUrl: string;
  /** Name under which it is registered, and the secret of that. */
  cluster: string;
  secret: string;
  name?: string;
  webhookPort?: number;
  /** Further settings, by their variables without `VEDETTE_`. */
  settings?: Readonly<Record<string, string>>;
  /** Options of Node, such as a bound of its heap. */
  nodeArgs?: readonly string[];
}

/** One value of a metric with its labels. */
export interface Sample {
  name: string;
  labels: Readonly<Record<string, string>>;
  value: number;
}

/** A replica of the agent as it runs in a pod: a process of its own, set up by its environment. */
export class TestReplica {
  readonly webhookPort: number;
  readonly operationsPort: number;
  readonly dnsPort: number;
  readonly process: Daemon;
  readonly #folder: string;
  readonly #release: () => void;

  private constructor(
    folder: string,
    ports: Pick<TestReplica, "webhookPort" | "operationsPort" | "dnsPort">,
    process: Daemon,
  ) {
    this.#folder = folder;
    this.webhookPort = ports.webhookPort;
    this.operationsPort = ports.operationsPort;
    this.dnsPort = ports.dnsPort;
    this.process = process;
    this.#release = guard({ folder });
  }

  /** Starts it; resolves when the process answers, which is not yet that it is ready or leads. */
  static async start(plan: ReplicaPlan): Promise<TestReplica> {
    const folder = mkdtempSync(join(tmpdir(), "vedette-replica-"));
    const ports = {
      webhookPort: plan.webhookPort ?? (await freePort()),
      operationsPort: await freePort(),
      dnsPort: await freePort(),
    };
    const settings: Record<string, string> = {
      KUBERNETES: "true",
      KUBECONFIG: plan.kubeconfig,
      EDGE_URL: plan.edgeUrl,
      CLUSTER: plan.cluster,
      SECRET: plan.secret,
      NAMESPACE: "vedette-system",
      POD_NAME: plan.name ?? "replica",
      WEBHOOK_PORT: `${ports.webhookPort}`,
      OPERATIONS_PORT: `${ports.operationsPort}`,
      DNS_PORT: `${ports.dnsPort}`,
      ...plan.settings,
    };
    const process = new Daemon({
      name: plan.name ?? "replica",
      binary: globalThis.process.execPath,
      args: [...(plan.nodeArgs ?? []), AGENT],
      folder,
      isReady: async () => (await fetch(`http://${HOST}:${ports.operationsPort}/healthz`)).ok,
      env: Object.fromEntries(Object.entries(settings).map(([name, value]) => [`VEDETTE_${name}`, value])),
    });
    const replica = new TestReplica(folder, ports, process);
    await process.start();
    return replica;
  }

  get webhookUrl(): string {
    return `http://${HOST}:${this.webhookPort}/v1/delivery`;
  }

  get log(): string {
    return this.process.log;
  }

  async isReady(): Promise<boolean> {
    const answer = await this.#ask("/readyz").catch(() => undefined);
    return answer?.ok ?? false;
  }

  /** What `/metrics` says now. */
  async metrics(): Promise<Sample[]> {
    const text = await (await this.#ask("/metrics")).text();
    return text.split("\n").flatMap((line) => {
      const [, name = "", labels = "", value] = FIRST.exec(line) ?? [];
      return value === undefined ? [] : [{ name, labels: labelsOf(labels), value: Number(value) }];
    });
  }

  /** The sum of a metric over the samples that have these labels. */
  async metric(name: string, labels: Readonly<Record<string, string>> = {}): Promise<number> {
    const samples = (await this.metrics()).filter(
      (one) => one.name === name && Object.entries(labels).every(([label, value]) => one.labels[label] === value),
    );
    return samples.reduce((sum, { value }) => sum + value, 0);
  }

  async isLeader(): Promise<boolean> {
    return (await this.metric("vedette_agent_leader").catch(() => 0)) === 1;
  }

  /** The peak memory of the process, in bytes. */
  get peakBytes(): number {
    const status = readFileSync(`/proc/${this.process.pid}/status`, "utf8");
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
  }

  /** Ends it (SIGTERM as the kubelet does, SIGKILL as a crash) and removes its folder. */
  async stop(signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> {
    await this.process.stop(signal);
    rmSync(this.#folder, { recursive: true, force: true });
    this.#release();
  }

  #ask(path: string): Promise<Response> {
    // Over a connection of its own: a server ends those that are idle, at times just as one is used again.
    const options = { headers: { connection: "close" }, signal: AbortSignal.timeout(15_000) };
    return fetch(`http://${HOST}:${this.operationsPort}${path}`, options);
  }
}

function labelsOf(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name = "", value = ""]) => [name, value]),
  );
}
