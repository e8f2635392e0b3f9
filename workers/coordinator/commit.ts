import { sendAssignments } from "./assign.ts";
import { handOver } from "./hand-over.ts";
import { storeCluster, storeShard } from "./persist.ts";
import type { World } from "./world.ts";

/**
 * Ends a call: numbers what it has changed, once for each cluster and shard however much that was, and has it sent soon.
 * Whatever is lost on the way is sent again by the heartbeat, since the numbers are in storage.
 */
export function commit(world: World): void {
  const shards = [...world.changedShards];
  for (const shard of shards) {
    shard.assigned += 1;
    storeShard(world, shard);
  }
  for (const cluster of world.changedClusters) {
    cluster.decided += 1;
    storeCluster(world, cluster);
  }
  const hasDecisions = world.changedClusters.size > 0;
  world.changedShards.clear();
  world.changedClusters.clear();
  if (shards.length > 0) world.outside.soon(() => sendAssignments(world, shards));
  if (hasDecisions) world.outside.soon(() => handOver(world));
}
