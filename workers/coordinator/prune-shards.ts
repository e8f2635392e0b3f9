import { writeMeta } from "./store/meta.ts";
import { inRegionKey, type ShardState, type World } from "./world.ts";

/**
 * Forgets the shards that are empty, and whose probers all know that: else every interval and every set of regions that
 * was ever asked for would be read and gone through for ever. Should one be wanted again, its numbers go on above.
 */
export function pruneShards(world: World): void {
  for (const shard of world.shards.values()) {
    if (!isDone(world, shard)) continue;
    world.shards.delete(shard.key);
    world.store.shards.delete(shard.key);
    for (const region of shard.regions) world.store.seen.delete(inRegionKey(shard, region));
    if (shard.assigned <= world.prunedTo) continue;
    world.prunedTo = shard.assigned;
    writeMeta(world.store.sql, "prunedTo", shard.assigned);
  }
}

function isDone({ changedShards }: World, shard: ShardState): boolean {
  if (shard.members.size > 0 || changedShards.has(shard)) return false;
  return shard.regions.every((region) => (shard.acknowledged.get(region) ?? 0) >= shard.assigned);
}
