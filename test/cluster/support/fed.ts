import { join } from "node:path";
import type { DeliveredRecord } from "../../../agent/edge/delivered.ts";
import { KubeClient } from "../../../agent/kubernetes/client.ts";
import { DNS_ENDPOINT, DNS_RECORD, type Kind, LEASE } from "../../../agent/kubernetes/kinds.ts";
import type { KubeObject } from "../../../agent/kubernetes/object.ts";
import { contactOf, contactRef } from "../../../agent/status/lease-object.ts";
import type { MessageNumber } from "../../../shared/model/number.ts";
import { delivered, delivery } from "../../support/agent/delivered.ts";
import { FakeEdge, SECRET } from "../../support/agent/fake-edge.ts";
import type { Cluster } from "./cluster.ts";
import { type ReplicaPlan, TestReplica } from "./replica.ts";
import { targetsOf } from "./shop.ts";
import { until } from "./world.ts";

const DEPLOY = join(import.meta.dirname, "..", "..", "..", "deploy");
const AGENT_NAMESPACE = "vedette-system";
/** The name that the deliveries of the test support are for. */
const CLUSTER = "here";

/** An agent on a real API server whose edge is played: a test says what is delivered, and in which order. */
export class Fed implements AsyncDisposable {
  readonly cluster: Cluster;
  readonly client: KubeClient;
  readonly edge: FakeEdge;
  readonly replicas: TestReplica[] = [];
  readonly #plan: ReplicaPlan;
  #epoch = Date.now();

  private constructor(cluster: Cluster, edge: FakeEdge, plan: ReplicaPlan) {
    this.cluster = cluster;
    this.client = new KubeClient(cluster.config);
    this.edge = edge;
    this.#plan = plan;
  }

  /** Starts the edge that is played; the replicas are started with `add`. */
  static async start(cluster: Cluster, settings: Readonly<Record<string, string>> = {}): Promise<Fed> {
    await cluster.kubectlOk(["apply", "--server-side", "--force-conflicts", "-k", DEPLOY]);
    const kubeconfig = await cluster.kubeconfigFor(AGENT_NAMESPACE, "vedette-agent");
    const edge = await FakeEdge.start();
    return new Fed(cluster, edge, { kubeconfig, edgeUrl: edge.url, cluster: CLUSTER, secret: SECRET, settings });
  }

  async add(more: Partial<ReplicaPlan> = {}): Promise<TestReplica> {
    const settings = { ...this.#plan.settings, ...more.settings };
    const name = `replica-${this.replicas.length}`;
    const replica = await TestReplica.start({ ...this.#plan, name, ...more, settings });
    this.replicas.push(replica);
    return replica;
  }

  /** Resolves with the replica that leads. */
  leader(): Promise<TestReplica> {
    return until("a replica to lead", async () => {
      for (const replica of this.replicas) if (await replica.isLeader()) return replica;
      return undefined;
    });
  }

  /** A number above all that were given out before: of a new epoch where `n` is 1. */
  number(n: number): MessageNumber {
    return { epoch: this.#epoch, n };
  }

  newEpoch(): void {
    this.#epoch += 1_000_000;
  }

  /** Delivers decisions as the edge does; to the first replica where no other is named. */
  deliver(number: MessageNumber, records: DeliveredRecord[], port?: number): Promise<Response> {
    return this.edge.deliver(port ?? this.replicas[0]?.webhookPort ?? 0, delivery(number, records));
  }

  /** Makes a record whose name is its host's first label; resolves when the edge has it. */
  async make(namespace: string, name: string, targets: readonly string[]): Promise<KubeObject> {
    const rootHost = hostOf(namespace, name);
    const object = await this.client.create(DNS_RECORD, {
      apiVersion: DNS_RECORD.apiVersion,
      kind: DNS_RECORD.kind,
      metadata: { name, namespace },
      spec: {
        rootHost,
        endpoints: [{ dnsName: rootHost, recordType: "A", targets: [...targets] }],
        healthCheck: { protocol: "HTTP", port: 80 },
      },
    });
    await until("the edge to be told", () => this.told(object));
    return object;
  }

  /** Whether the edge's newest snapshot holds this very object. */
  told({ metadata: { uid } }: KubeObject): boolean {
    return this.edge.snapshots.at(-1)?.lines.some((line) => line.ok && line.record.uid === uid) ?? false;
  }

  get(kind: Kind, namespace: string, name: string): Promise<KubeObject | undefined> {
    return this.client.get(kind, { namespace, name });
  }

  async targets(namespace: string, name: string): Promise<string | undefined> {
    return targetsOf(await this.get(DNS_ENDPOINT, namespace, name));
  }

  /** The number that is stored. */
  async stored(): Promise<MessageNumber> {
    return contactOf(await this.client.get(LEASE, contactRef(CLUSTER, AGENT_NAMESPACE))).number;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.stop()));
    await this.edge.close();
  }
}

export const hostOf = (namespace: string, name: string) => `${name}.${namespace}.example.test`;

/** A decision of the record's host that publishes one set of addresses and withholds another. */
export function decision(namespace: string, name: string, published: string[], unhealthy: string[] = []) {
  return delivered(hostOf(namespace, name), published, { record: `${namespace}/${name}`, unhealthy });
}
