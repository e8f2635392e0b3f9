import manifest from "../../../package.json" with { type: "json" };
import type { RegionView } from "../../../shared/model/region-view.ts";
import type { RecordStatus } from "../../../shared/model/status.ts";
import { joinDays } from "../../../shared/usage/tally.ts";
import { coordinatorOf, type Env } from "../../env.ts";
import { callWithRetry, errorMessage } from "../../retry.ts";
import type { PartitionUsage } from "../../rpc.ts";
import { withTimeout } from "../../timeout.ts";
import { askHealth } from "../cluster-health.ts";
import { joinRegions } from "../join-regions.ts";
import type { ApiContext, Route } from "../route.ts";
import { CONTENT_TYPE, Exposition } from "./exposition.ts";
import { addClusters, addRecords, addRegions, addUsage } from "./series.ts";

export const metricsRoutes: Route[] = [
  {
    method: "GET",
    path: "/metrics",
    access: "reader",
    summary: "Records, probes, regions and clusters for Prometheus, as listed in docs/metrics.md",
    answer: { status: 200, description: "Prometheus' text format, even if a partition does not answer." },
    problems: [],
    handle: async (context) => context.body(await readMetrics(context), 200, { "content-type": CONTENT_TYPE }),
  },
];

/** Together with the limit for clusters, this stays well within the default scrape timeout of Prometheus (10 s). */
const PARTITION_LIMIT_MS = 5_000;

interface PartitionState {
  records: RecordStatus[];
  regions: RegionView[];
  clusters: string[];
  usage: PartitionUsage | undefined;
}

/**
 * The current state of the edge in Prometheus' text format. A partition or cluster that does not answer is shown as
 * down.
 */
async function readMetrics(context: ApiContext): Promise<string> {
  const to = new Exposition();
  to.add("buildInfo", { version: manifest.version }, 1);
  for (const [setting, faults] of Map.groupBy(context.get("settings").faults, (fault) => fault.setting)) {
    to.add("settingFaults", { setting }, faults.length);
  }
  const numbers = Array.from({ length: context.get("settings").PARTITIONS }, (_, partition) => partition);
  const answers = await Promise.all(numbers.map((partition) => askPartition(context.env, partition)));
  for (const [partition, answer] of answers.entries()) {
    to.add("partitionUp", { partition: `${partition}` }, answer !== undefined);
  }
  const parts = answers.filter((answer) => answer !== undefined);
  addRecords(
    to,
    parts.flatMap(({ records }) => records),
  );
  addRegions(to, joinRegions(parts.flatMap(({ regions }) => regions)));
  const usage = joinDays(parts.flatMap((part) => part.usage?.days.today ?? []));
  if (usage !== undefined) addUsage(to, usage, context.get("settings").PLAN);
  addClusters(to, await askClusters(context.env, [...new Set(parts.flatMap(({ clusters }) => clusters))].sort()));
  return to.text();
}

async function askPartition(env: Env, partition: number): Promise<PartitionState | undefined> {
  const ask = <Answer>(call: () => Promise<Answer>) => withTimeout(callWithRetry(call), PARTITION_LIMIT_MS);
  try {
    const [records, regions, clusters, usage] = await Promise.all([
      ask(() => coordinatorOf(env, partition).listRecords()),
      ask(() => coordinatorOf(env, partition).listRegions()),
      ask(() => coordinatorOf(env, partition).listClusters()),
      ask(() => coordinatorOf(env, partition).usage()),
    ]);
    return { records, regions, clusters, usage };
  } catch (error) {
    console.error(`The coordinator of partition ${partition} does not answer: ${errorMessage(error)}`);
    return undefined;
  }
}

/** Health by cluster name; `undefined` if the cluster does not answer. Removed clusters are left out. */
async function askClusters(env: Env, names: readonly string[]) {
  const answers = await Promise.all(names.map(async (name) => [name, await askHealth(env, name)] as const));
  return new Map(
    answers.flatMap(([name, answer]) =>
      answer === "removed" ? [] : [[name, answer === "silent" ? undefined : answer]],
    ),
  );
}
