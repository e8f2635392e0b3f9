import { FAMILIES } from "../workers/api/metrics/families.ts";
import { MAX_SERIES } from "../workers/api/metrics/record-series.ts";

const head = `<!-- Made by npm run generate from workers/api/metrics/families.ts. Do not edit. -->

# Metrics of the edge

\`GET /metrics\` tells of records, probes, regions and clusters in Prometheus' text format. Who may read the view may scrape:
give Prometheus the \`VIEW_TOKEN\` ([access](access.md)). [kubernetes.md](kubernetes.md#day-two) has the metrics of the agents.

\`\`\`yaml
scrape_configs:
  - job_name: vedette-edge
    scheme: https
    scrape_interval: 30s
    authorization: { credentials_file: /etc/prometheus/vedette-view-token }
    static_configs: [{ targets: [vedette.example.com] }]
  - job_name: vedette-agent
    kubernetes_sd_configs: [{ role: pod, namespaces: { names: [vedette-system] } }]
    relabel_configs:
      - { source_labels: [__meta_kubernetes_pod_container_port_number], regex: "8790", action: keep }
\`\`\`

[deploy/monitoring/](../deploy/monitoring/) has a Grafana dashboard (\`dashboard.json\`: import it, and choose the Prometheus), alert rules
(\`alerts.yaml\`: name it under \`rule_files\`) and the tests of these (\`promtool test rules alerts.test.yaml\`). Alerts with
\`severity: page\` are for waking somebody, those with \`severity: ticket\` for the day.

## What there is

All are gauges: the edge tells how things are, and counts nothing from one scrape to the next. Times are in seconds, points in time in
Unix seconds. What is not known is absent.
`;

const tail = `## How much there is

Labels hold names of records, clusters, regions and addresses, and never a message, an id or a path. A record has four series at
most, a probe four, and what one region sees of one probe six. Together they are ${MAX_SERIES.toLocaleString("en")} at most, by root host: first every record and
probe, then what the regions see; what is left out is counted in \`vedette_edge_series_left_out\`, and the totals hold everything. Beside these
there are six series a region (of eleven), seven a cluster, one a partition, and some fifteen more.

A scrape of 1,000 HTTPS probes from nine regions has 51,000 series in 9.1 MB of text, of which 280 KB go over the wire compressed (the
platform compresses for who accepts it; Prometheus does). In workerd, on two processors with eight times their work to do, it took 1.3 s, of which
0.3 s were the coordinator's, which decides nothing meanwhile: every 30 s is often enough. A test holds the text to 10 MB, and 500 KB
compressed. Where one partition has more than 15,000 pairs of probe and region its coordinator leaves out durations and certificates:
take more partitions.

A partition that does not answer within five seconds, or a cluster's object within two, is told as such (\`vedette_edge_partition_up\`,
\`vedette_edge_cluster_up\`), and everything else is there.
`;

/** The reference of the edge's metrics, made from where they are declared. */
export function metricsPage(): string {
  const rows = Object.values(FAMILIES).map(({ name, labels, help }) => `| \`${name}\` | ${code(labels)} | ${help} |`);
  return [head, "| metric | labels | meaning |", "|---|---|---|", ...rows, "", tail].join("\n");
}

const code = (labels: readonly string[]) => labels.map((label) => `\`${label}\``).join(", ");
