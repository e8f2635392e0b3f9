/** A metric family of Prometheus. Its samples differ by these labels. */
export interface Family {
  name: string;
  type: "gauge";
  help: string;
  labels: readonly string[];
}

const PROBE = ["host", "cluster", "namespace", "record", "address"] as const;
const IN_REGION = [...PROBE, "region"] as const;

const gauge = <const Labels extends readonly string[]>(name: string, help: string, labels: Labels) => ({
  name: `vedette_edge_${name}`,
  type: "gauge" as const,
  help,
  labels,
});

/** Every metric of the edge. /metrics, the documentation and deploy/monitoring take the names from here. */
export const FAMILIES = {
  buildInfo: gauge("build_info", "1, with the version that runs.", ["version"]),
  partitionUp: gauge(
    "partition_up",
    "1 if the partition's coordinator answered this scrape, else 0. Its records, probes and regions are then missing.",
    ["partition"],
  ),
  settingFaults: gauge(
    "setting_faults",
    "Faults in a setting that the edge ignores, such as a token or a notification target. /healthz shows them.",
    ["setting"],
  ),
  leftOut: gauge(
    "series_left_out",
    "Records left out by the series limit: all their series (kind record), or those by region (kind regional). Totals count them.",
    ["kind"],
  ),

  records: gauge("records", "Records by state.", ["state"]),
  probes: gauge("probes", "Probes by verdict.", ["verdict"]),
  leaves: gauge("leaves", "Addresses of all records by decision: published or withheld.", ["state"]),

  recordState: gauge("record_state", "1 for the current state of the record. Other states have no series.", [
    "host",
    "state",
  ]),
  recordLeaves: gauge("record_leaves", "Addresses of the record by decision: published or withheld.", [
    "host",
    "state",
  ]),
  recordDecided: gauge("record_decided_timestamp_seconds", "When the decision last changed.", ["host"]),

  probeVerdict: gauge(
    "probe_verdict",
    "1 for the current verdict of all regions together. Other verdicts have no series.",
    [...PROBE, "verdict"],
  ),
  probeFailures: gauge(
    "probe_consecutive_failures",
    "Consecutive failures that a quorum of regions has seen. Above probe_failure_threshold the address is unhealthy.",
    PROBE,
  ),
  probeThreshold: gauge("probe_failure_threshold", "Consecutive failures tolerated.", PROBE),
  certificateEnd: gauge(
    "probe_certificate_expiry_timestamp_seconds",
    "Earliest expiry of a certificate in the chain that the address sent to any region.",
    PROBE,
  ),

  probeSuccess: gauge(
    "probe_success",
    "1 if the last check from the region succeeded, 0 if it failed. Absent while the region is silent.",
    IN_REGION,
  ),
  probeDuration: gauge("probe_duration_seconds", "Total duration of the last check from the region.", IN_REGION),
  phaseDuration: gauge(
    "probe_phase_duration_seconds",
    "Duration of each phase of the last check: resolve, connect, tls, first_byte. Absent if the phase was not reached.",
    [...IN_REGION, "phase"],
  ),

  regionProbes: gauge("region_probes", "Probes that the region checks.", ["region"]),
  regionShards: gauge("region_shards", "Shards (groups of up to 30 probes) in the region.", ["region"]),
  regionSilent: gauge("region_silent_shards", "Shards in the region whose last round is overdue.", ["region"]),
  regionSuspect: gauge(
    "region_suspect",
    "1 while most probes of the region changed at once, which is evidence against the region.",
    ["region"],
  ),
  regionLate: gauge("region_round_late_seconds", "Longest delay of the start of the last rounds.", ["region"]),
  regionReport: gauge("region_last_report_timestamp_seconds", "Time of the region's last report.", ["region"]),

  usedToday: gauge(
    "usage_today",
    "Billed usage of a kind of object since 00:00 UTC: requests, gbSeconds, rowsWritten or rowsRead.",
    ["objects", "item"],
  ),
  quotaUsed: gauge(
    "usage_daily_limit_used_ratio",
    "Used share of the free plan's daily limit. Absent on the paid plan, which has no such limit.",
    ["item"],
  ),

  clusterUp: gauge(
    "cluster_up",
    "1 if the cluster's object answered this scrape, else 0. The cluster's other series are then missing.",
    ["cluster"],
  ),
  clusterReachable: gauge("cluster_reachable", "1 if the last delivery succeeded, 0 while deliveries fail.", [
    "cluster",
  ]),
  clusterFailures: gauge("cluster_delivery_consecutive_failures", "Consecutive failed deliveries.", ["cluster"]),
  clusterBacklog: gauge(
    "cluster_delivery_backlog",
    "1 while the agent has not confirmed the newest decision. A delivery has all decisions, so at most one is pending.",
    ["cluster"],
  ),
  clusterRecords: gauge("cluster_records", "Records in the cluster's last snapshot.", ["cluster"]),
  clusterSnapshot: gauge(
    "cluster_last_snapshot_timestamp_seconds",
    "Time of the cluster's last snapshot, to the minute.",
    ["cluster"],
  ),
  clusterDelivery: gauge(
    "cluster_last_delivery_timestamp_seconds",
    "Time of the agent's last confirmation, to the minute.",
    ["cluster"],
  ),
} as const satisfies Record<string, Family>;

export type FamilyKey = keyof typeof FAMILIES;
export type LabelsOf<Key extends FamilyKey> = Record<(typeof FAMILIES)[Key]["labels"][number], string>;
