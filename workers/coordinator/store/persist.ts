import { saturate } from "../../../shared/health/count.ts";
import type { Region } from "../../../shared/model/region.ts";
import {
  type Cluster,
  type ProbeState,
  type RegionState,
  recordOf,
  type ShardState,
  type Share,
  type World,
  wordKey,
} from "../state.ts";
/*
 * What of a thing in memory goes into its row.
 */

export function storeCluster({ store }: World, { name, shares: _, ...row }: Cluster): void {
  store.clusters.put(name, row);
}

export function storeShare({ store }: World, { spec: _, conditions: __, ...row }: Share): void {
  store.shares.put(recordOf(row), row);
}

export function storeProbe(
  { store }: World,
  { desired, standing, shard, assignedAt, timingEditedAt }: ProbeState,
): void {
  const { revision } = desired.probe;
  store.probes.put(desired.id, { revision, standing, shard: shard.key, assignedAt, timingEditedAt });
}

/** Writes a region's word if its class has changed: beyond the thresholds counts say nothing more. */
export function storeWord({ store }: World, { desired }: ProbeState, region: Region, word: RegionState): boolean {
  const counts = saturate(word.counts, desired.check);
  if (word.checkedAt === undefined || JSON.stringify(counts) === JSON.stringify(word.stored)) return false;
  word.stored = counts;
  const { checkedAt, succeededAt, saidAt } = word;
  store.regionStates.put(wordKey(desired.id, region), { counts, checkedAt, succeededAt, saidAt });
  return true;
}

export function storeShard({ store }: World, shard: ShardState): void {
  const { key, intervalMs, n, regions, assigned } = shard;
  const acknowledged = Object.fromEntries(shard.acknowledged);
  store.shards.put(key, { intervalMs, n, regions: [...regions], assigned, acknowledged });
}

/** Gives everything that was changed its next number, once however much that was, and answers what it was. */
export function numberChanges(world: World): { shards: ShardState[]; clusters: Cluster[] } {
  const shards = [...world.changedShards];
  const clusters = [...world.changedClusters];
  for (const shard of shards) {
    shard.assigned += 1;
    storeShard(world, shard);
  }
  for (const cluster of clusters) {
    cluster.decided += 1;
    storeCluster(world, cluster);
  }
  world.changedShards.clear();
  world.changedClusters.clear();
  return { shards, clusters };
}
