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

/** Each heartbeat writes what was seen, and so tells when it was. */
const MISSED_MS = 90_000;

/** What has to happen without anybody's word, each minute: see `CoordinatorRpc.heartbeat`. Harmless when doubled. */
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

/** Cron can be late or missed, and taken away by hand: then the clusters' regular word has to do. */
export function isHeartbeatMissed({ lastSeenWrittenAt }: CoordinatorState, nowMs: number): boolean {
  return nowMs - lastSeenWrittenAt > MISSED_MS;
}
