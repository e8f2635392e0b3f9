import { randomBytes } from "node:crypto";
import type { RecordStatus } from "../../../shared/model/status.ts";
import { freePort } from "../../support/free-port.ts";
import type { Cluster } from "./cluster.ts";
import { NotingGateway } from "./noting-gateway.ts";
import { Published } from "./published.ts";
import { ClusterWorld, until, type WorldPlan } from "./world.ts";

interface RecordGiven {
  rootHost: string;
  addresses: readonly string[];
  /** Added to the health check; null for none. */
  healthCheck?: object | null;
  /** Added to the spec. */
  spec?: object;
}

interface RecordShape {
  metadata: { name: string; uid: string; generation: number; finalizers?: string[]; deletionTimestamp?: string };
  spec: Record<string, unknown>;
  status?: { conditions?: ConditionShape[] };
}
interface ConditionShape {
  type: string;
  status: string;
  reason: string;
  message: string;
}

interface Rule {
  resources: string[];
  verbs: string[];
}

/** What is left of a rule: at most the part of other resources, and that of these with other verbs. */
function without(rule: Rule, verbs: readonly string[], resources: readonly string[]): Rule[] {
  const others = { ...rule, resources: rule.resources.filter((one) => !resources.includes(one)) };
  const left = {
    ...rule,
    resources: rule.resources.filter((one) => resources.includes(one)),
    verbs: rule.verbs.filter((one) => !verbs.includes(one)),
  };
  return [others, left].filter((one) => one.resources.length > 0 && one.verbs.length > 0);
}

/** A whole environment with its own gateways and one namespace, and what had to be in DNS at any time. */
export class Scene {
  readonly world: ClusterWorld;
  readonly namespace: string;
  readonly port: number;
  readonly gateways: readonly NotingGateway[];
  readonly published: Published;
  /** The zone whose hosts the cluster may name, of this scene alone. */
  readonly zone: string;
  readonly #opened: AsyncDisposableStack;

  private constructor(
    parts: Pick<Scene, "world" | "namespace" | "port" | "gateways" | "published" | "zone">,
    opened: AsyncDisposableStack,
  ) {
    this.world = parts.world;
    this.namespace = parts.namespace;
    this.port = parts.port;
    this.gateways = parts.gateways;
    this.published = parts.published;
    this.zone = parts.zone;
    this.#opened = opened;
  }

  static async start(
    cluster: Cluster,
    addresses: readonly string[],
    plan: Omit<WorldPlan, "hosts"> = {},
  ): Promise<Scene> {
    await using opened = new AsyncDisposableStack();
    const zone = `z${randomBytes(4).toString("hex")}.test`;
    const port = await freePort();
    const gateways: NotingGateway[] = [];
    for (const address of addresses) gateways.push(opened.use(await NotingGateway.start(address, port)));
    const world = await ClusterWorld.start(cluster, { hosts: [`*.${zone}`], name: zone.split(".")[0]!, ...plan });
    opened.defer(() => world.stop());
    const namespace = await cluster.freshNamespace("scene");
    const published = new Published(cluster, namespace);
    opened.defer(() => published.stop());
    return new Scene({ world, namespace, port, gateways, published, zone }, opened.move());
  }

  record(
    name: string,
    { rootHost, addresses, healthCheck = {}, spec = {} }: RecordGiven,
    namespace = this.namespace,
  ): object {
    const check = {
      protocol: "HTTP",
      port: this.port,
      interval: "1s",
      timeout: "1s",
      failureThreshold: 1,
      staleAfter: "30s",
    };
    return {
      apiVersion: "vedette.dev/v1alpha1",
      kind: "DNSRecord",
      metadata: { name, namespace },
      spec: {
        rootHost,
        endpoints: [{ dnsName: rootHost, recordType: "A", recordTTL: 60, targets: addresses }],
        ...(healthCheck !== null && { healthCheck: { ...check, ...healthCheck } }),
        ...spec,
      },
    };
  }

  read(name: string, namespace = this.namespace): Promise<RecordShape | undefined> {
    return this.world.get<RecordShape>("dnsrecords.vedette.dev", namespace, name);
  }

  async condition(name: string, type: string, namespace = this.namespace): Promise<ConditionShape | undefined> {
    return (await this.read(name, namespace))?.status?.conditions?.find((one) => one.type === type);
  }

  /** Waits for a condition to have this status and reason. */
  async untilCondition(name: string, type: string, wanted: string, limitMs?: number): Promise<ConditionShape> {
    let last: ConditionShape | undefined;
    return await until(
      `${type} of ${name} to be ${wanted}`,
      async () => {
        last = await this.condition(name, type);
        return `${last?.status} ${last?.reason}` === wanted ? last : undefined;
      },
      limitMs,
      () => last,
    );
  }

  /** Waits for what is to be in DNS of a name. */
  async untilPublished(dnsName: string, addresses: readonly string[], limitMs?: number): Promise<void> {
    const text = addresses.toSorted().join(" ");
    const { published } = this;
    await until(
      `${dnsName} to be "${text}"`,
      () => published.targets(dnsName) === text,
      limitMs,
      () => published.seen.get(dnsName),
    );
  }

  /** Events of an object, as `Type Reason`. */
  async events(name: string, namespace = this.namespace): Promise<string[]> {
    const events = await this.world.list<{ type: string; reason: string; involvedObject: { name: string } }>(
      "events",
      namespace,
    );
    return events
      .filter(({ involvedObject }) => involvedObject.name === name)
      .map(({ type, reason }) => `${type} ${reason}`);
  }

  atEdge(rootHost: string): Promise<RecordStatus | undefined> {
    return this.world.edge.record(rootHost);
  }

  kubectl(...args: string[]): Promise<string> {
    return this.world.cluster.kubectlOk(args);
  }

  /** Does something while the agent's account may not do this; its rights are as they were afterwards. */
  async withoutRights(
    verbs: readonly string[],
    resources: readonly string[],
    work: () => Promise<void>,
  ): Promise<void> {
    const role = JSON.parse(await this.kubectl("get", "clusterrole", "vedette-agent", "-o", "json")) as {
      rules: Rule[];
    };
    const write = async (rules: readonly Rule[]) => {
      await this.kubectl("patch", "clusterrole", "vedette-agent", "--type=merge", "-p", JSON.stringify({ rules }));
    };
    await write(role.rules.flatMap((rule) => without(rule, verbs, resources)));
    try {
      await work();
    } finally {
      await write(role.rules);
    }
  }

  explain(): Promise<void> {
    return this.world.explain(this.namespace);
  }

  /** Takes the records away while the agent can let them go, then ends all. */
  async stop(): Promise<void> {
    try {
      await this.kubectl("delete", "dnsrecords.vedette.dev", "--all", "-n", this.namespace, "--timeout=150s");
    } finally {
      await this.#opened.disposeAsync();
    }
  }
}
