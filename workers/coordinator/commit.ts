import { tellNews } from "./deliver/alerts.ts";
import { handOver } from "./hand-over.ts";
import { sendAssignments } from "./place/assignments.ts";
import type { World } from "./state.ts";
import { numberChanges } from "./store/persist.ts";
import { forgetTold } from "./told.ts";

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
