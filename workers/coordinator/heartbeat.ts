import { decideRoot } from "./decide/decide-record.ts";
import { sendAlerts } from "./deliver/alerts.ts";
import { updateBootstrapGate } from "./deliver/bootstrap-gate.ts";
import { checkQuotas } from "./deliver/quota-alerts.ts";
import { writeAllLastSeen } from "./fold/last-seen.ts";
import { judgeProbe } from "./fold/probe-verdict.ts";
import { watchRegions } from "./fold/watch-regions.ts";
import { handOver } from "./hand-over.ts";
import { reassignOnSettingsChange } from "./place/assignments.ts";
import { reassignOverdueShards } from "./place/overdue-shards.ts";
import { pruneShards } from "./place/shards.ts";
import type { CoordinatorState } from "./state.ts";

/** Each heartbeat writes the last-seen rows, and so the time of the heartbeat. */
const MISSED_MS = 90_000;

/** The work that no message triggers, each minute: see `CoordinatorRpc.heartbeat`. A doubled heartbeat is harmless. */
export function heartbeat(state: CoordinatorState, nowMs: number): void {
  reassignOnSettingsChange(state);
  for (const probe of state.probes.values()) judgeProbe(state, probe, nowMs);
  for (const root of state.roots.values()) decideRoot(state, root, nowMs);
  watchRegions(state, nowMs);
  reassignOverdueShards(state, nowMs);
  pruneShards(state);
  updateBootstrapGate(state, nowMs);
  checkQuotas(state, nowMs);
  writeAllLastSeen(state, nowMs);
  state.dependencies.soon(() => handOver(state));
  state.dependencies.soon(() => sendAlerts(state));
}

/** Cron may be late, missed, or disabled. The regular contacts of the clusters then replace it. */
export function isHeartbeatMissed({ lastSeenWrittenAt }: CoordinatorState, nowMs: number): boolean {
  return nowMs - lastSeenWrittenAt > MISSED_MS;
}
