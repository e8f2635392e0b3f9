import { sendAlertsIfChanged } from "./deliver/alerts.ts";
import { handOver } from "./hand-over.ts";
import { sendAssignments } from "./place/assignments.ts";
import type { CoordinatorState } from "./state.ts";
import { numberChanges } from "./store/persist.ts";
import { forgetTold } from "./told.ts";

/**
 * Ends a call: numbers its changes, once for each cluster and shard, and schedules their delivery. The heartbeat
 * sends lost messages again, since the numbers are stored.
 */
export function commit(state: CoordinatorState): void {
  for (const rootHost of state.changedRoots) {
    const root = state.roots.get(rootHost);
    if (root !== undefined) forgetTold(root);
  }
  const { shards, clusters } = numberChanges(state);
  if (shards.length > 0) state.dependencies.soon(() => sendAssignments(state, shards));
  if (clusters.length > 0) state.dependencies.soon(() => handOver(state));
  sendAlertsIfChanged(state);
}
