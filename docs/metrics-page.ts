import { FAMILIES } from "../workers/api/metrics/families.ts";
import { MAX_SERIES } from "../workers/api/metrics/series.ts";

const head = `<!-- Made by npm run generate from workers/api/metrics/families.ts. Do not edit. -->

# Metrics of the edge

\`GET /metrics\` exports records, probes, regions and clusters in Prometheus' text format. Scraping needs read access:
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

[deploy/monitoring/](../deploy/monitoring/) has:

- a Grafana dashboard (\`dashboard.json\`): import it, and choose the Prometheus
- alert rules (\`alerts.yaml\`): name the file under \`rule_files\`. \`severity: page\` is worth waking someone, \`severity: ticket\` can wait for the day.
- tests of the rules: \`promtool test rules alerts.test.yaml\`

## What there is

All metrics are gauges. They show the current state, and count nothing between scrapes. Times are in seconds, points in time in
Unix seconds. Unknown values are absent.
`;

const tail = `## How much there is

- Labels hold names of records, clusters, regions and addresses, and never a message, an id or a path.
- A record has four series at most, a probe four, and the result of one region on one probe six. Together they are
  ${MAX_SERIES.toLocaleString("en")} at most, by root host: first every record and probe, then the results of regions.
- \`vedette_edge_series_left_out\` counts what is left out. The totals include everything.
- Beside these there are six series for each region (of eleven), seven for each cluster, one for each partition, and some fifteen more.

A scrape of 1,000 HTTPS probes from nine regions has 51,000 series in 9.1 MB of text, or 280 KB compressed. The
platform compresses for clients that accept it, and Prometheus does. In workerd, on two processors with eight times their work to do, it took 1.3 s.
The coordinator took 0.3 s of that, and decides nothing meanwhile, so every 30 s is often enough. A test limits the text to 10 MB, and 500 KB
compressed. Where one partition has more than 15,000 pairs of probe and region, its coordinator leaves out durations and certificates.
Use more partitions then.

A partition has five seconds to answer, and a cluster object two. \`vedette_edge_partition_up\` and
\`vedette_edge_cluster_up\` show a missing answer, and all other metrics are there.
`;

/** The reference of the edge's metrics, made from where they are declared. */
export function metricsPage(): string {
  const rows = Object.values(FAMILIES).map(({ name, labels, help }) => `| \`${name}\` | ${code(labels)} | ${help} |`);
  return [head, "| metric | labels | meaning |", "|---|---|---|", ...rows, "", tail].join("\n");
}

const code = (labels: readonly string[]) => labels.map((label) => `\`${label}\``).join(", ");
