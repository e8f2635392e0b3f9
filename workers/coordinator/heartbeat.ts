import { decideRoot } from "./decide/decide-record.ts";
import { tellTroubles } from "./deliver/alerts.ts";
import { noteGathered } from "./deliver/bootstrap-gate.ts";
import { noteQuotas } from "./deliver/quota-alerts.ts";
import { writeAllSeen } from "./fold/last-seen.ts";
import { judgeProbe } from "./fold/probe-verdict.ts";
import { watchRegions } from "./fold/watch-regions.ts";
import { handOver } from "./hand-over.ts";
import { reassignOnSettingsChange } from "./place/assignments.ts";
import { nudge } from "./place/overdue-shards.ts";
import { pruneShards } from "./place/shards.ts";
import type { CoordinatorState } from "./state.ts";

/** Each heartbeat writes what was seen, and so tells when it was. */
const MISSED_MS = 90_000;

/** What has to happen without anybody's word, each minute: see `CoordinatorRpc.heartbeat`. Harmless when doubled. */
export function heartbeat(state: CoordinatorState, nowMs: number): void {
  reassignOnSettingsChange(state);
  for (const probe of state.probes.values()) judgeProbe(state, probe, nowMs);
  for (const root of state.roots.values()) decideRoot(state, root, nowMs);
  watchRegions(state, nowMs);
  nudge(state, nowMs);
  pruneShards(state);
  noteGathered(state, nowMs);
  noteQuotas(state, nowMs);
  writeAllSeen(state, nowMs);
  state.dependencies.soon(() => handOver(state));
  state.dependencies.soon(() => tellTroubles(state));
}

/** Cron can be late or missed, and taken away by hand: then the clusters' regular word has to do. */
export function isHeartbeatMissed({ seenWrittenAt }: CoordinatorState, nowMs: number): boolean {
  return nowMs - seenWrittenAt > MISSED_MS;
}
