import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { PushResult } from "../edge/client.ts";
import type { RequestInfo } from "../kubernetes/client.ts";
import { type RecordSamples, RecordSeries } from "./record-series.ts";
/**
 * `contact`: it only repeated its number. `base_missing`: its base is unknown, so the edge sends everything.
 * `unsigned`: it has no valid signature of the edge. `forwarded`: another replica received it.
 */
export type DeliveryResult =
  | "applied"
  | "contact"
  | "base_missing"
  | "unsigned"
  | "refused"
  | "not_ready"
  | "not_stored"
  | "forwarded";

export interface MetricsOptions {
  /**
   * How long ago the edge was last heard of; undefined in a replica that does not listen for it. Asked at each scrape.
   */
  contact: () => { ageMs: number; isSilent: boolean } | undefined;
  /** Bound for the series of records and probes together. */
  maxSeries?: number;
}

const MAX_SERIES = 20_000;
const READS: ReadonlySet<string> = new Set(["read", "get", "list", "watch"]);

/** What the agent did and sees, for Prometheus. It holds names and addresses of records, and nothing else of theirs. */
export class AgentMetrics {
  readonly #registry = new Registry();
  readonly #contact: MetricsOptions["contact"];
  readonly #edge: ReturnType<typeof edgeMetrics>;
  readonly #kubernetes: ReturnType<typeof kubernetesMetrics>;
  readonly #records: RecordSeries;
  #isWaiting = false;

  constructor({ contact, maxSeries = MAX_SERIES }: MetricsOptions) {
    this.#contact = contact;
    this.#edge = edgeMetrics(this.#registry);
    this.#kubernetes = kubernetesMetrics(this.#registry);
    this.#records = new RecordSeries(this.#registry, maxSeries);
    collectDefaultMetrics({ register: this.#registry });
  }

  /** A controller has gone over its objects, in `ms` milliseconds. */
  observeReconcile(controller: string, result: "success" | "error", ms: number): void {
    this.#kubernetes.reconciles.inc({ controller, result });
    this.#kubernetes.reconcileSeconds.observe({ controller }, ms / 1000);
  }

  countDelivery(result: DeliveryResult): void {
    this.#edge.deliveries.inc({ result });
  }

  /**
   * A delivery is in DNS.
   * @param sinceSentMs how long ago the edge sent it
   * @param sinceDecidedMs how long ago each of the decisions was made that were new in it
   */
  observeLag(sinceSentMs: number, sinceDecidedMs: readonly number[]): void {
    // The edge's clock and ours may differ: a delivery out of the future came at once.
    this.#edge.deliveryLag.observe(Math.max(0, sinceSentMs) / 1000);
    for (const ms of sinceDecidedMs) this.#edge.decisionLag.observe(Math.max(0, ms) / 1000);
  }

  /** A snapshot with so many records was pushed. */
  observePush(result: PushResult["kind"], records: number): void {
    this.#edge.pushes.inc({ result: result.toLowerCase() });
    this.#edge.snapshotRecords.set(records);
  }

  observeRequest({ verb: words, kind, code, ms }: RequestInfo): void {
    const verb = words.replace(/ of$/, "").replaceAll(" ", "_");
    this.#kubernetes.requests.inc({ verb, kind, code });
    // A watch lasts as long as nothing goes wrong.
    if (verb !== "watch") this.#kubernetes.requestSeconds.observe({ verb }, ms / 1000);
    if (READS.has(verb)) return;
    this.#kubernetes.writes.inc({ kind, result: code >= 200 && code < 300 ? "written" : "failed" });
  }

  /** Whether this replica is the one that works. The series of records go from one that is not. */
  setLeader(isLeader: boolean): void {
    this.#kubernetes.leader.set(isLeader ? 1 : 0);
    this.#isWaiting = !isLeader;
    if (!isLeader) this.#records.clear();
  }

  /**
   * The records as they are now; cheap enough for each change. A waiting replica shows none, whatever still ends there.
   */
  setRecords(records: RecordSamples): void {
    if (!this.#isWaiting) this.#records.setRecords(records);
  }

  /** All metrics as of now, in Prometheus' text format. */
  async scrape(): Promise<{ contentType: string; text: string }> {
    this.#records.collect();
    const { contactAge, silent } = this.#edge;
    const contact = this.#contact();
    contactAge.remove();
    silent.remove();
    if (contact !== undefined) {
      contactAge.set(contact.ageMs / 1000);
      silent.set(contact.isSilent ? 1 : 0);
    }
    return { contentType: this.#registry.contentType, text: await this.#registry.metrics() };
  }
}

const LAG_BUCKETS_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
const WORK_BUCKETS_SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30];

/** What the agent counts of its talk with the edge. */
export function edgeMetrics(registry: Registry) {
  const { counter, gauge, histogram } = makers(registry);
  return {
    deliveries: counter("deliveries_total", "Deliveries of the edge by what became of them.", ["result"]),
    deliveryLag: histogram(
      "delivery_lag_seconds",
      "From the edge's sending of a delivery until it is in DNS, as far as the clocks agree.",
      LAG_BUCKETS_SECONDS,
      [],
    ),
    decisionLag: histogram(
      "decision_lag_seconds",
      "From the edge's decision for a root host until it is in DNS, as far as the clocks agree.",
      LAG_BUCKETS_SECONDS,
      [],
    ),
    pushes: counter("snapshot_pushes_total", "Snapshots pushed to the edge by what became of them.", ["result"]),
    snapshotRecords: gauge("snapshot_records", "Records in the last snapshot that was pushed."),
    contactAge: gauge(
      "edge_contact_age_seconds",
      "Time since the edge was last heard of; absent in a waiting replica.",
    ),
    silent: gauge("edge_silent", "1 while the edge counts as silent and each record's whenSilent decides."),
  };
}

/** What the agent counts of its work in Kubernetes. */
export function kubernetesMetrics(registry: Registry) {
  const { counter, gauge, histogram } = makers(registry);
  return {
    reconciles: counter("reconciles_total", "Times that a controller went over its objects.", ["controller", "result"]),
    reconcileSeconds: histogram("reconcile_duration_seconds", "How long that took.", WORK_BUCKETS_SECONDS, [
      "controller",
    ]),
    requests: counter("api_requests_total", "Calls of the Kubernetes API; code 0 is no answer.", [
      "verb",
      "kind",
      "code",
    ]),
    requestSeconds: histogram(
      "api_request_duration_seconds",
      "How long calls of the Kubernetes API took, watches apart.",
      WORK_BUCKETS_SECONDS,
      ["verb"],
    ),
    writes: counter("api_writes_total", "Writes to the Kubernetes API; those of the Leases have kind=Lease.", [
      "kind",
      "result",
    ]),
    leader: gauge("leader", "1 in the replica that works, 0 in one that waits and forwards."),
  };
}

function makers(registry: Registry) {
  const common = (name: string, help: string) => ({ name: `vedette_agent_${name}`, help, registers: [registry] });
  return {
    counter: <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
      new Counter({ ...common(name, help), labelNames }),
    gauge: (name: string, help: string) => new Gauge(common(name, help)),
    histogram: <Label extends string>(name: string, help: string, buckets: number[], labelNames: readonly Label[]) =>
      new Histogram({ ...common(name, help), buckets, labelNames }),
  };
}
