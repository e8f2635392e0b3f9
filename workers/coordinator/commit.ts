import { sendAssignments } from "./assign.ts";
import { handOver } from "./hand-over.ts";
import { numberChanges } from "./number-changes.ts";
import { forgetTold } from "./told.ts";
import { tellNews } from "./troubles.ts";
import type { World } from "./world.ts";

/**
 * Ends a call: numbers what it has changed, once for each cluster and shard however much that was, and has it sent soon.
 * Whatever is lost on the way is sent again by the heartbeat, since the numbers are in storage.
 */
export function commit(world: World): void {
  for (const rootHost of world.changedRoots) {
    const root = world.roots.get(rootHost);
    if (root !== undefined) forgetTold(root);
  }
  const { shards, clusters } = numberChanges(world);
  if (shards.length > 0) world.outside.soon(() => sendAssignments(world, shards));
  if (clusters.length > 0) world.outside.soon(() => handOver(world));
  tellNews(world);
}
