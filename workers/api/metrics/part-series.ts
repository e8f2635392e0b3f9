import type { ClusterHealth } from "../../../shared/model/overview.ts";
import type { RegionView } from "../../../shared/model/region-view.ts";
import type { UsageOfDay } from "../../../shared/model/usage.ts";
import { amountsOf, FREE_A_DAY, ITEMS } from "../../../shared/price/prices.ts";
import { byObjects, totalOf } from "../../../shared/usage/tally.ts";
import type { Settings } from "../../settings.ts";
import { type Exposition, seconds } from "./exposition.ts";

export function addRegions(to: Exposition, regions: readonly RegionView[]): void {
  for (const { region, ...view } of regions) {
    to.add("regionProbes", { region }, view.probes);
    to.add("regionShards", { region }, view.shards);
    to.add("regionSilent", { region }, view.silentShards);
    to.add("regionSuspect", { region }, view.suspect);
    to.add("regionLate", { region }, seconds(view.lateMs));
    to.add("regionReport", { region }, seconds(view.lastReportAt));
  }
}

/** What was used today, of all partitions. */
export function addUsage(to: Exposition, today: UsageOfDay, plan: Settings["PLAN"]): void {
  for (const { objects, used } of byObjects(today)) {
    const amounts = amountsOf(used);
    for (const item of ITEMS) to.add("usedToday", { objects, item }, amounts[item]);
  }
  if (plan !== "free") return;
  const all = amountsOf(totalOf(today));
  for (const item of ITEMS) to.add("quotaUsed", { item }, all[item] / FREE_A_DAY[item]);
}

/** Each cluster by its name; `undefined` for one whose object did not answer. */
export function addClusters(to: Exposition, clusters: ReadonlyMap<string, ClusterHealth | undefined>): void {
  for (const [cluster, health] of clusters) {
    to.add("clusterUp", { cluster }, health !== undefined);
    if (health === undefined) continue;
    to.add("clusterReachable", { cluster }, health.reachable);
    to.add("clusterFailures", { cluster }, health.failures);
    to.add("clusterBacklog", { cluster }, health.backlog);
    to.add("clusterRecords", { cluster }, health.records);
    to.add("clusterSnapshot", { cluster }, seconds(health.lastSnapshotAt));
    to.add("clusterDelivery", { cluster }, seconds(health.lastDeliveryAt));
  }
}
