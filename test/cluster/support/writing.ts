import type { WantedObject } from "../../../agent/apply/desired.ts";
import { Writer } from "../../../agent/apply/writer.ts";
import { KubeClient, type RequestInfo } from "../../../agent/kubernetes/client.ts";
import { Informer } from "../../../agent/kubernetes/informer.ts";
import { DNS_ENDPOINT, DNS_HEALTH_CHECK_PROBE, DNS_RECORD, type Kind } from "../../../agent/kubernetes/kinds.ts";
import type { KubeObject } from "../../../agent/kubernetes/object.ts";
import { until } from "../../e2e/support/until.ts";
import type { Cluster } from "./cluster.ts";

const KINDS = [DNS_RECORD, DNS_HEALTH_CHECK_PROBE, DNS_ENDPOINT];

export const LABELS = { "app.kubernetes.io/managed-by": "vedette-agent" };

/** A writer with its informers, on a namespace of the real API server; counts its own calls. */
export class Writing implements AsyncDisposable {
  readonly calls: RequestInfo[] = [];
  readonly logged: string[] = [];
  readonly client: KubeClient;
  /** Somebody else's. */
  readonly other: KubeClient;
  readonly writer: Writer;
  readonly #informers: ReadonlyMap<Kind, Informer>;

  private constructor(cluster: Cluster, namespace: string, windowMs: number) {
    this.client = new KubeClient(cluster.config, { onRequest: (about) => this.calls.push(about) });
    this.other = new KubeClient(cluster.config);
    const log = (_level: string, message: string) => void this.logged.push(message);
    const client = new KubeClient(cluster.config);
    const informerOf = (kind: Kind) =>
      new Informer({
        client,
        kind,
        namespace,
        resyncMs: 600_000,
        log,
        onChange: (before, after) => {
          const ref = (after ?? before)?.metadata;
          if (ref) this.writer?.changed(kind, ref);
        },
      });
    this.#informers = new Map(KINDS.map((kind) => [kind, informerOf(kind)]));
    this.writer = new Writer({
      client: this.client,
      cacheOf: (kind) => this.cacheOf(kind),
      isSynced: () => true,
      windowMs,
      concurrency: 8,
      refreshesPerSecond: 20,
      log,
      random: Math.random,
      onFailureChange: () => {},
    });
  }

  /** Resolves once the informers have listed. */
  static async start(cluster: Cluster, namespace: string, windowMs = 100): Promise<Writing> {
    const writing = new Writing(cluster, namespace, windowMs);
    for (const informer of writing.#informers.values()) informer.start();
    await until("the informers to list", async () => writing.#informers.values().every(({ isSynced }) => isSynced));
    return writing;
  }

  cacheOf(kind: Kind): Informer {
    const informer = this.#informers.get(kind);
    if (informer === undefined) throw new Error(`no informer for ${kind.plural}`);
    return informer;
  }

  /** The calls that write, since the last time. */
  takeWrites(): RequestInfo[] {
    return this.calls.splice(0).filter(({ verb }) => verb !== "get");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.writer.stop();
    await Promise.all(this.#informers.values().map((informer) => informer.stop()));
  }
}

export const recordObject = (namespace: string, name: string): KubeObject => ({
  apiVersion: DNS_RECORD.apiVersion,
  kind: DNS_RECORD.kind,
  metadata: { name, namespace },
  spec: {
    rootHost: `${name}.example.com`,
    endpoints: [{ dnsName: `${name}.example.com`, recordType: "A", targets: ["192.0.2.1", "192.0.2.2"] }],
  },
});

/** A record's status as of the n-th message. */
export const recordStatus = (n: number, extra: object = {}) => ({
  observedGeneration: 1,
  conditions: [
    {
      type: "Ready",
      status: "True",
      reason: "Published",
      message: `message ${n}`,
      lastTransitionTime: "2026-01-01T00:00:00Z",
    },
  ],
  ...extra,
});

export const endpointObject = (
  namespace: string,
  name: string,
  targets: string[],
  dnsName = `${name}.example.com`,
): WantedObject => ({
  type: "Object",
  kind: DNS_ENDPOINT,
  object: {
    apiVersion: DNS_ENDPOINT.apiVersion,
    kind: DNS_ENDPOINT.kind,
    metadata: { name, namespace, labels: LABELS },
    spec: { endpoints: [{ dnsName, recordType: "A", recordTTL: 60, targets }] },
  },
});

export const probeObject = (namespace: string, name: string, status: object): WantedObject => ({
  type: "Object",
  kind: DNS_HEALTH_CHECK_PROBE,
  object: {
    apiVersion: DNS_HEALTH_CHECK_PROBE.apiVersion,
    kind: DNS_HEALTH_CHECK_PROBE.kind,
    metadata: { name, namespace, labels: LABELS },
    spec: {
      record: "shop",
      rootHost: "shop.example.com",
      address: "192.0.2.1",
      protocol: "HTTP",
      port: 80,
      interval: "30s",
      timeout: "5s",
      failureThreshold: 5,
      successThreshold: 2,
      regions: ["weur", "enam"],
      quorum: "Majority",
    },
  },
  status: { verdict: "Healthy", consecutiveFailures: 0, ...status },
});
