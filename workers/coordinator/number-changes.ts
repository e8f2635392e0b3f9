import { storeCluster, storeShard } from "./persist.ts";
import type { Cluster, ShardState, World } from "./world.ts";

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
