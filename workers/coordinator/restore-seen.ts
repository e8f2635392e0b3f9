import type { Region } from "../../shared/model/region.ts";
import { compareNumbers } from "../../shared/number.ts";
import { ALL_SEEN, type Seen, type SeenRow } from "./store/seen.ts";
import { inRegionKey, type ProbeState, type World } from "./world.ts";

/** Restores what was seen of every shard; of two rows about one the newer counts. When the last of them was written. */
export function restoreSeen(world: World, rows: ReadonlyMap<string, SeenRow>): number | undefined {
  const newest = new Map<string, Seen>();
  for (const { shards } of rows.values()) {
    for (const [key, seen] of Object.entries(shards)) {
      const other = newest.get(key);
      if (other === undefined || compareNumbers(seen.number, other.number) > 0) newest.set(key, seen);
    }
  }
  for (const shard of world.shards.values()) {
    for (const [region, place] of shard.inRegions) {
      place.seen = newest.get(inRegionKey(shard, region));
      place.heardAt = place.seen?.roundAt;
    }
  }
  world.seenWrittenAt = rows.get(ALL_SEEN)?.at ?? 0;
  const written = [...rows.values()].map(({ at }) => at);
  return written.length === 0 ? undefined : Math.max(...written);
}

/**
 * When a region last checked a probe to the end, as far as rows tell: a time that is never too late. Words are written
 * when their class changes, and all that was checked since belongs to the same class.
 */
export function restoredCheckedAt(probe: ProbeState, region: Region, writtenAt: number): number {
  const seen = probe.shard.inRegions.get(region)?.seen;
  if (seen === undefined || seen.roundAt < probe.assignedAt) return writtenAt;
  return Math.max(writtenAt, seen.lagging[probe.desired.id] ?? seen.roundAt);
}
