import { decideRoot } from "./decide.ts";
import { noteGathered } from "./gathered.ts";
import { handOver } from "./hand-over.ts";
import { judgeProbe } from "./judge.ts";
import { nudge } from "./nudge.ts";
import { pruneShards } from "./prune-shards.ts";
import { noteQuotas } from "./quota.ts";
import { watchRegions } from "./regions.ts";
import { writeAllSeen } from "./seen.ts";
import { takeUpRules } from "./take-up-rules.ts";
import { tellTroubles } from "./troubles.ts";
import type { World } from "./world.ts";

/** Each heartbeat writes what was seen, and so tells when it was. */
const MISSED_MS = 90_000;

/** What has to happen without anybody's word, each minute: see `CoordinatorRpc.heartbeat`. Harmless when doubled. */
export function heartbeat(world: World, nowMs: number): void {
  takeUpRules(world);
  for (const probe of world.probes.values()) judgeProbe(world, probe, nowMs);
  for (const root of world.roots.values()) decideRoot(world, root, nowMs);
  watchRegions(world, nowMs);
  nudge(world, nowMs);
  pruneShards(world);
  noteGathered(world, nowMs);
  noteQuotas(world, nowMs);
  writeAllSeen(world, nowMs);
  world.outside.soon(() => handOver(world));
  world.outside.soon(() => tellTroubles(world));
}

/** Cron can be late or missed, and taken away by hand: then the clusters' regular word has to do. */
export function isHeartbeatMissed({ seenWrittenAt }: World, nowMs: number): boolean {
  return nowMs - seenWrittenAt > MISSED_MS;
}
