import { KubeClient } from "../../../agent/kubernetes/client.ts";
import { Informer } from "../../../agent/kubernetes/informer.ts";
import { DNS_ENDPOINT } from "../../../agent/kubernetes/kinds.ts";
import type { KubeObject } from "../../../agent/kubernetes/object.ts";
import { type Breakage, type Gateway, startGateway } from "../../../local/sample-gateways.ts";
import { freePort } from "../../support/free-port.ts";
import type { Cluster } from "./cluster.ts";
import { ClusterWorld, until, type WorldPlan } from "./world.ts";

/** The name of the agent's account in the API server's audit log. */
export const AGENT = "system:serviceaccount:vedette-system:vedette-agent";
const NAME = "shop";
export const HOST = "shop.example.test";

interface Held extends KubeObject {
  spec: { endpoints: { targets: string[] }[] };
}

export type ShopPlan = Omit<WorldPlan, "hosts"> & {
  /** Loopback addresses, at each of which a gateway is started. */
  addresses: readonly string[];
};

/** What a DNSEndpoint publishes. */
export const targetsOf = (object: KubeObject | undefined): string | undefined =>
  (object as Held | undefined)?.spec.endpoints.flatMap(({ targets }) => targets).join(" ");

/** A record `shop` with real gateways, published by running replicas, and all versions of its DNSEndpoint. */
export class Shop implements AsyncDisposable {
  readonly world: ClusterWorld;
  readonly namespace: string;
  readonly gateways: readonly Gateway[];
  /** The contents of the DNSEndpoint, version by version, as far as a watch shows. */
  readonly published: string[] = [];
  readonly #informer: Informer;

  private constructor(world: ClusterWorld, namespace: string, gateways: readonly Gateway[]) {
    this.world = world;
    this.namespace = namespace;
    this.gateways = gateways;
    this.#informer = new Informer({
      client: new KubeClient(world.cluster.config),
      kind: DNS_ENDPOINT,
      namespace,
      resyncMs: 600_000,
      onChange: (_, after) => {
        const targets = targetsOf(after) ?? "none";
        if (this.published.at(-1) !== targets) this.published.push(targets);
      },
      log: () => {},
    });
    this.#informer.start();
  }

  /** Starts all; resolves when every address is published and the edge has it acknowledged. */
  static async start(cluster: Cluster, { addresses, ...plan }: ShopPlan): Promise<Shop> {
    const port = await freePort();
    const gateways: Gateway[] = [];
    for (const [number, address] of addresses.entries()) gateways.push(await startGateway({ number, address, port }));
    const world = await ClusterWorld.start(cluster, { hosts: ["*.example.test"], ...plan });
    const shop = new Shop(world, await cluster.freshNamespace("shop"), gateways);
    await world.apply(shop.record(addresses, port));
    await shop.untilPublished(addresses);
    await shop.untilAcknowledged();
    return shop;
  }

  record(targets: readonly string[], port = this.gateways[0]?.port): object {
    return {
      apiVersion: "vedette.dev/v1alpha1",
      kind: "DNSRecord",
      metadata: { name: NAME, namespace: this.namespace },
      spec: {
        rootHost: HOST,
        endpoints: [{ dnsName: HOST, recordType: "A", targets }],
        healthCheck: {
          protocol: "HTTP",
          port,
          interval: "1s",
          timeout: "1s",
          failureThreshold: 1,
          staleAfter: "30s",
        },
      },
    };
  }

  async change(index: number, breakage?: Breakage): Promise<void> {
    await this.gateways[index]?.change(breakage);
  }

  /** Breaks or repairs the gateway; resolves when the edge has decided so. */
  async decide(index: number, breakage?: Breakage): Promise<void> {
    const address = this.gateways[index]?.address ?? "";
    await this.change(index, breakage);
    await until(`the edge to decide on ${address}`, async () => {
      const decided = await this.world.edge.record(HOST);
      return decided && decided.endpoints.some(({ targets }) => targets.includes(address)) === (breakage === undefined);
    });
  }

  /** What the DNSEndpoint holds now. */
  async targets(): Promise<string | undefined> {
    return targetsOf(await this.world.get<KubeObject>("dnsendpoint", this.namespace, NAME));
  }

  async untilPublished(addresses: readonly string[]): Promise<void> {
    let seen: string | undefined;
    const isSo = async () => {
      seen = await this.targets();
      return seen === addresses.join(" ");
    };
    await until(`${addresses.join(" ")} to be published`, isSo, 90_000, () => seen);
  }

  /** Resolves when the agent has acknowledged all that the edge has decided. */
  async untilAcknowledged(): Promise<void> {
    let seen: unknown;
    const isSo = async () => {
      const view = (await this.world.edge.read(`/v1/clusters/${this.world.name}`)) as Record<string, unknown>;
      seen = view;
      return view.decided !== undefined && view.decided === view.acknowledged;
    };
    await until("all to be acknowledged", isSo, 90_000, () => seen);
  }

  /** Each probe's address and whether it is healthy, as the objects say. */
  async probes(): Promise<Record<string, boolean | undefined>> {
    const probes = await this.world.list<{ spec: { address: string }; status?: { healthy?: boolean } }>(
      "dnshealthcheckprobes",
      this.namespace,
    );
    return Object.fromEntries(probes.map(({ spec, status }) => [spec.address, status?.healthy]));
  }

  /** How many objects of ours there are, by kind. */
  async objects(): Promise<Record<string, number>> {
    const counts = ["dnsrecords", "dnshealthcheckprobes", "dnsendpoints"].map(async (kind) => {
      return [kind, (await this.world.list(kind, this.namespace)).length] as const;
    });
    const leases = (await this.world.list("leases", "vedette-system")).length;
    return { ...Object.fromEntries(await Promise.all(counts)), leases };
  }

  /** How many requests the replicas have made so far, also those without an answer; and how many of them wrote. */
  async requests(): Promise<{ all: number; writes: number }> {
    const running = this.world.replicas.filter(({ process }) => process.pid !== undefined);
    const samples = (await Promise.all(running.map((replica) => replica.metrics()))).flat();
    const requests = samples.filter(({ name }) => name === "vedette_agent_api_requests_total");
    const sum = (some: typeof samples) => some.reduce((total, { value }) => total + value, 0);
    const isWrite = (verb = "") => !["get", "list", "watch"].includes(verb);
    return { all: sum(requests), writes: sum(requests.filter(({ labels }) => isWrite(labels.verb))) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#informer.stop();
    await this.world.stop();
    await Promise.all(this.gateways.map((gateway) => gateway.stop()));
  }
}
