/** A metric as Prometheus knows it: its samples differ by these labels. */
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

/** Every metric of the edge. Names in /metrics, in the documents and in deploy/monitoring come from here. */
export const FAMILIES = {
  buildInfo: gauge("build_info", "1, with the version that runs.", ["version"]),
  partitionUp: gauge(
    "partition_up",
    "1 where the partition's coordinator answered this scrape, else 0: its records, probes and regions are then missing.",
    ["partition"],
  ),
  settingFaults: gauge(
    "setting_faults",
    "What is wrong in a setting that the edge goes on without: who may look, and who is told. /healthz says what it is.",
    ["setting"],
  ),
  leftOut: gauge(
    "series_left_out",
    "Records without series of their own (kind record), and without those by region (kind regional), for the bound; totals hold them.",
    ["kind"],
  ),

  records: gauge("records", "Records by state.", ["state"]),
  probes: gauge("probes", "Probes by verdict.", ["verdict"]),
  leaves: gauge("leaves", "Addresses of all records by what the decision does with them: published or withheld.", [
    "state",
  ]),

  recordState: gauge("record_state", "1 for the state that the record is in; the others have no series.", [
    "host",
    "state",
  ]),
  recordLeaves: gauge("record_leaves", "Addresses of the record by what the decision does: published or withheld.", [
    "host",
    "state",
  ]),
  recordDecided: gauge("record_decided_timestamp_seconds", "When the decision last changed.", ["host"]),

  probeVerdict: gauge("probe_verdict", "1 for the verdict of all regions together; the others have no series.", [
    ...PROBE,
    "verdict",
  ]),
  probeFailures: gauge(
    "probe_consecutive_failures",
    "Failures in a row in as many regions as have to agree; above probe_failure_threshold the address is unhealthy.",
    PROBE,
  ),
  probeThreshold: gauge("probe_failure_threshold", "Failures in a row that are still borne.", PROBE),
  certificateEnd: gauge(
    "probe_certificate_expiry_timestamp_seconds",
    "When the first certificate of the chain ends that the address showed, the earliest of all regions.",
    PROBE,
  ),

  probeSuccess: gauge(
    "probe_success",
    "1 where the last check from the region went well, 0 where it failed; absent while the region is silent.",
    IN_REGION,
  ),
  probeDuration: gauge("probe_duration_seconds", "The last check from the region, as a whole.", IN_REGION),
  phaseDuration: gauge(
    "probe_phase_duration_seconds",
    "The phases of the last check, each by itself: resolve, connect, tls, first_byte; absent where it was not reached.",
    [...IN_REGION, "phase"],
  ),

  regionProbes: gauge("region_probes", "Probes asked from the region.", ["region"]),
  regionShards: gauge("region_shards", "Shards (groups of up to 30 probes) that have the region.", ["region"]),
  regionSilent: gauge("region_silent_shards", "Of those, the ones whose last round is overdue.", ["region"]),
  regionSuspect: gauge(
    "region_suspect",
    "1 while most probes of the region turned at one moment: evidence against the region.",
    ["region"],
  ),
  regionLate: gauge("region_round_late_seconds", "How late the last rounds began, at worst.", ["region"]),
  regionReport: gauge("region_last_report_timestamp_seconds", "When the region was last heard of.", ["region"]),

  usedToday: gauge(
    "usage_today",
    "What objects of a kind used since 00:00 UTC of what Cloudflare bills: requests, gbSeconds, rowsWritten or rowsRead.",
    ["objects", "item"],
  ),
  quotaUsed: gauge(
    "usage_daily_limit_used_ratio",
    "The share of the free plan's daily limit that is used; absent on the paid plan, which has none.",
    ["item"],
  ),

  clusterUp: gauge(
    "cluster_up",
    "1 where the edge's object of the cluster answered this scrape, else 0: the cluster's other series are then missing.",
    ["cluster"],
  ),
  clusterReachable: gauge("cluster_reachable", "1 where the last delivery went through, 0 while deliveries fail.", [
    "cluster",
  ]),
  clusterFailures: gauge("cluster_delivery_consecutive_failures", "Deliveries that failed in a row.", ["cluster"]),
  clusterBacklog: gauge(
    "cluster_delivery_backlog",
    "1 while something is decided that the agent has not confirmed; deliveries are whole, so there is never more than one.",
    ["cluster"],
  ),
  clusterRecords: gauge("cluster_records", "Records in the cluster's last snapshot.", ["cluster"]),
  clusterSnapshot: gauge(
    "cluster_last_snapshot_timestamp_seconds",
    "When its last snapshot was taken, to the minute.",
    ["cluster"],
  ),
  clusterDelivery: gauge(
    "cluster_last_delivery_timestamp_seconds",
    "When its agent last confirmed a word of the edge, to the minute.",
    ["cluster"],
  ),
} as const satisfies Record<string, Family>;

export type FamilyKey = keyof typeof FAMILIES;
export type LabelsOf<Key extends FamilyKey> = Record<(typeof FAMILIES)[Key]["labels"][number], string>;
