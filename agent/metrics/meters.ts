import { Counter, Gauge, Histogram, type Registry } from "prom-client";

const LAG_BUCKETS_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
const WORK_BUCKETS_SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30];

/** What the agent counts of its talk with the edge. */
export function edgeMeters(registry: Registry) {
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
export function kubernetesMeters(registry: Registry) {
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
