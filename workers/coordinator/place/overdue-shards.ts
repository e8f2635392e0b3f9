import type { Region } from "../../../shared/model/region.ts";
import { waitStart } from "../fold/activity.ts";
import type { CoordinatorState, ShardState } from "../state.ts";
import { addEvent } from "../store/events.ts";
import { isBehind, sendAll } from "./assignments.ts";

const MISSED_ROUNDS = 2;
/** A round may take up to a minute, but one longer than its interval is rare. Calls also take time. */
const GRACE_MS = 5_000;

/** Whether a shard has missed two rounds in a region. A shard without active probes has no rounds. */
export function isOverdue(state: CoordinatorState, shard: ShardState, region: Region, nowMs: number): boolean {
  const active = [...shard.members.values()].filter(({ desired }) => desired.resting === undefined);
  if (active.length === 0) return false;
  const assignedAt = Math.max(...active.map((probe) => probe.assignedAt));
  const heardAt = Math.max(shard.inRegions.get(region)?.heardAt ?? 0, assignedAt);
  const timeoutMs = Math.max(...active.map(({ desired }) => desired.check.timeoutMs));
  const limitMs = MISSED_ROUNDS * shard.intervalMs + timeoutMs + GRACE_MS;
  return nowMs - waitStart(state, heardAt, limitMs) > limitMs;
}

/**
 * Assigns shards again that missed two rounds, which sets a lost alarm again, and shards with unacknowledged
 * assignments.
 */
export function reassignOverdueShards(state: CoordinatorState, nowMs: number): void {
  const calls = [...state.shards.values()].flatMap((shard) =>
    shard.regions.flatMap((region) => {
      const overdue = isOverdue(state, shard, region, nowMs);
      if (overdue) logReassignment(state, shard, region, nowMs);
      return overdue || isBehind(shard, region) ? [{ shard, region }] : [];
    }),
  );
  if (calls.length > 0) state.dependencies.soon(() => sendAll(state, calls));
}

function logReassignment(state: CoordinatorState, shard: ShardState, region: Region, nowMs: number): void {
  const inRegion = shard.inRegions.get(region);
  if (inRegion === undefined || inRegion.isReassigned) return;
  inRegion.isReassigned = true;
  const message = `shard ${shard.key} missed two rounds in ${region} and was assigned again`;
  addEvent(state.store.sql, { at: nowMs, type: "ShardRearmed", region, message });
}
