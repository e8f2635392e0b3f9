import { saturate } from "../../../shared/health/count.ts";
import type { Region } from "../../../shared/model/region.ts";
import {
  type Cluster,
  type CoordinatorState,
  type ProbeState,
  type RegionState,
  recordOf,
  regionStateKey,
  type ShardState,
  type Share,
} from "../state.ts";
/* Writes objects of the state to their rows. */

export function storeCluster({ store }: CoordinatorState, { name, shares: _, ...row }: Cluster): void {
  store.clusters.put(name, row);
}

export function storeShare({ store }: CoordinatorState, { spec: _, conditions: __, ...row }: Share): void {
  store.shares.put(recordOf(row), row);
}

export function storeProbe(
  { store }: CoordinatorState,
  { desired, standing, shard, assignedAt, timingEditedAt }: ProbeState,
): void {
  const { revision } = desired.probe;
  store.probes.put(desired.id, { revision, standing, shard: shard.key, assignedAt, timingEditedAt });
}

/**
 * Writes a region's state if its saturated counts have changed; higher counts carry no information. Returns whether
 * it wrote.
 */
export function storeRegionState(
  { store }: CoordinatorState,
  { desired }: ProbeState,
  region: Region,
  regionState: RegionState,
): boolean {
  const counts = saturate(regionState.counts, desired.check);
  if (regionState.checkedAt === undefined || JSON.stringify(counts) === JSON.stringify(regionState.stored))
    return false;
  regionState.stored = counts;
  const { checkedAt, succeededAt, saidAt } = regionState;
  store.regionStates.put(regionStateKey(desired.id, region), { counts, checkedAt, succeededAt, saidAt });
  return true;
}

export function storeShard({ store }: CoordinatorState, shard: ShardState): void {
  const { key, intervalMs, n, regions, assigned } = shard;
  const acknowledged = Object.fromEntries(shard.acknowledged);
  store.shards.put(key, { intervalMs, n, regions: [...regions], assigned, acknowledged });
}

/** Assigns the next number to each changed cluster and shard, once however much has changed, and returns them. */
export function numberChanges(state: CoordinatorState): { shards: ShardState[]; clusters: Cluster[] } {
  const shards = [...state.changedShards];
  const clusters = [...state.changedClusters];
  for (const shard of shards) {
    shard.assigned += 1;
    storeShard(state, shard);
  }
  for (const cluster of clusters) {
    cluster.decided += 1;
    storeCluster(state, cluster);
  }
  state.changedShards.clear();
  state.changedClusters.clear();
  return { shards, clusters };
}
