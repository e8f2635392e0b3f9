import { decideRoot } from "./decide/decide-record.ts";
import { tellTroubles } from "./deliver/alerts.ts";
import { noteGathered } from "./deliver/bootstrap-gate.ts";
import { noteQuotas } from "./deliver/quota-alerts.ts";
import { writeAllSeen } from "./fold/last-seen.ts";
import { judgeProbe } from "./fold/probe-verdict.ts";
import { watchRegions } from "./fold/watch-regions.ts";
import { handOver } from "./hand-over.ts";
import { takeUpRules } from "./place/assignments.ts";
import { nudge } from "./place/overdue-shards.ts";
import { pruneShards } from "./place/shards.ts";
import type { World } from "./state.ts";

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
