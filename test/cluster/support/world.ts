import { join } from "node:path";
import { stringify } from "yaml";
import { freePort } from "../../support/free-port.ts";
import type { Cluster } from "./cluster.ts";
import { startTestEdge, type TestEdge } from "./edge.ts";
import { type ReplicaPlan, TestReplica } from "./replica.ts";

const DEPLOY = join(import.meta.dirname, "..", "..", "..", "deploy");
const AGENT_NAMESPACE = "vedette-system";

export interface WorldPlan {
  /** Hosts that the cluster may name at the edge. */
  hosts: readonly string[];
  replicas?: number;
  /** Settings of the agent, by their variables without `VEDETTE_`. */
  settings?: Readonly<Record<string, string>>;
  edgeSettings?: Readonly<Record<string, string>>;
  /** Name under which the cluster is registered. */
  name?: string;
  /** Options of Node for the replicas, such as a bound of the heap. */
  nodeArgs?: readonly string[];
  /** Where the edge calls instead of the first replica's port. */
  servicePort?: number;
  /** Called when one more replica runs. */
  onReplica?: (replicas: readonly TestReplica[]) => void;
}

/** An edge in workerd and the agent's replicas on a real API server, with the rights that `deploy/` gives. */
export class ClusterWorld {
  readonly cluster: Cluster;
  readonly edge: TestEdge;
  readonly name: string;
  readonly replicas: TestReplica[];
  readonly #plan: Omit<ReplicaPlan, "name">;
  readonly #onReplica: WorldPlan["onReplica"];

  private constructor(
    cluster: Cluster,
    edge: TestEdge,
    plan: Omit<ReplicaPlan, "name">,
    onReplica: WorldPlan["onReplica"],
  ) {
    this.cluster = cluster;
    this.edge = edge;
    this.name = plan.cluster;
    this.#plan = plan;
    this.replicas = [];
    this.#onReplica = onReplica;
  }

  /** Starts all; resolves when the first replica leads. The edge calls the first replica's webhook. */
  static async start(cluster: Cluster, plan: WorldPlan): Promise<ClusterWorld> {
    await sweep(cluster);
    await installAgent(cluster);
    const edge = await startTestEdge(plan.edgeSettings);
    const webhookPort = await freePort();
    const name = plan.name ?? "shop";
    const url = `http://127.0.0.1:${plan.servicePort ?? webhookPort}/v1/delivery`;
    const secret = await edge.register(name, plan.hosts, url);
    const kubeconfig = await cluster.kubeconfigFor(AGENT_NAMESPACE, "vedette-agent");
    const replicaPlan = {
      kubeconfig,
      edgeUrl: edge.url,
      cluster: name,
      secret,
      settings: { ...plan.settings },
      nodeArgs: plan.nodeArgs ?? [],
    };
    const world = new ClusterWorld(cluster, edge, replicaPlan, plan.onReplica);
    await world.add({ webhookPort });
    await until("the first replica leads", () => world.replicas[0]!.isLeader()).catch((error: Error) => {
      throw new Error(`${error.message}\n${world.replicas[0]!.log}`);
    });
    for (let more = 1; more < (plan.replicas ?? 1); more++) await world.add();
    return world;
  }

  /** Starts one more replica. */
  async add(more: Partial<ReplicaPlan> = {}): Promise<TestReplica> {
    const name = `replica-${this.replicas.length}`;
    const settings = { ...this.#plan.settings, ...more.settings };
    const replica = await TestReplica.start({ ...this.#plan, name, ...more, settings });
    this.replicas.push(replica);
    this.#onReplica?.(this.replicas);
    return replica;
  }

  /** Applies manifests as a person does; they are given as values. */
  async apply(...manifests: object[]): Promise<void> {
    await this.cluster.kubectlOk(["apply", "-f", "-"], manifests.map((one) => stringify(one)).join("---\n"));
  }

  /** An object as JSON, or undefined if it does not exist. */
  async get<Shape = Record<string, unknown>>(
    kind: string,
    namespace: string,
    name: string,
  ): Promise<Shape | undefined> {
    const args = ["get", kind, name, "-n", namespace, "-o", "json", "--ignore-not-found"];
    const text = await this.cluster.kubectlOk(args);
    return text === "" ? undefined : (JSON.parse(text) as Shape);
  }

  async list<Shape = Record<string, unknown>>(kind: string, namespace: string): Promise<Shape[]> {
    const text = await this.cluster.kubectlOk(["get", kind, "-n", namespace, "-o", "json"]);
    return (JSON.parse(text) as { items: Shape[] }).items;
  }

  /** Prints what a person would look at: for a test that failed. */
  async explain(namespace: string): Promise<void> {
    const kinds = "dnsrecords.vedette.dev,dnshealthcheckprobes,dnsendpoints";
    const { stdout, stderr } = await this.cluster.kubectl(["get", kinds, "-n", namespace, "-o", "yaml"]);
    console.log(stdout.slice(-6_000), stderr);
    for (const replica of this.replicas) console.log(replica.log.slice(-3_000));
    console.log(this.edge.log().slice(-2_000));
  }

  async stop(): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.stop()));
    await this.edge.stop();
  }
}

/** Takes away what files that ran before on this API server left: an agent works on all that is there. */
async function sweep(cluster: Cluster): Promise<void> {
  const kinds = "dnsrecords.vedette.dev,dnshealthcheckpolicies,gateways,dnsendpoints";
  const { items } = JSON.parse(await cluster.kubectlOk(["get", kinds, "-A", "-o", "json"])) as {
    items: { kind: string; metadata: { name: string; namespace: string; finalizers?: string[] } }[];
  };
  for (const { kind, metadata } of items) {
    const about = [kind === "DNSRecord" ? "dnsrecords.vedette.dev" : kind, metadata.name, "-n", metadata.namespace];
    await cluster.kubectl(["delete", ...about, "--wait=false", "--ignore-not-found"]);
    if ((metadata.finalizers ?? []).length === 0) continue;
    await cluster.kubectl(["patch", ...about, "--type=merge", "-p", '{"metadata":{"finalizers":null}}']);
  }
}

/** What `kubectl apply -k deploy` installs, but for the pods, which the tests run themselves. */
async function installAgent(cluster: Cluster): Promise<void> {
  await cluster.kubectlOk(["apply", "--server-side", "--force-conflicts", "-k", DEPLOY]);
}

/** Waits until this holds; names what did not come about, with what was seen last. */
export { until } from "../../e2e/support/until.ts";

import { until } from "../../e2e/support/until.ts";
