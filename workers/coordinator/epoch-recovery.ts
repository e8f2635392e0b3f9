import type { MessageNumber } from "../../shared/model/number.ts";
import type { Region } from "../../shared/model/region.ts";
import { formatNumber, isCredible, isNewer, numberAbove } from "../../shared/number.ts";
import type { Cluster, CoordinatorState, ShardState } from "./state.ts";
import { addEvent } from "./store/events.ts";
import { writeMeta } from "./store/meta.ts";
import { forgetTaken } from "./taken.ts";

/*
 * Epoch recovery. A receiver that holds a higher number than ours ignores all of our messages, forever. It got that
 * number from this coordinator, before the storage was lost while the clock was behind, or was restored to an earlier
 * time. So our numbers continue above it.
 */

/**
 * Raises the number of the cluster's decisions above the number that the cluster holds. Returns whether that was
 * needed: the change must then be committed.
 */
export function recoverDecisionNumber(
  state: CoordinatorState,
  cluster: Cluster,
  held: MessageNumber,
  nowMs: number,
): boolean {
  const own = { epoch: state.epoch, n: cluster.decided };
  const holder = `the cluster ${cluster.name} holds decisions`;
  if (!mustRecover(state, { held, own, holder, remedy: "remove the cluster and register it again" }, nowMs))
    return false;
  // The cluster holds other decisions than the ones delivered from here, whatever their number.
  forgetTaken(cluster);
  if (numberAbove(held).epoch > state.epoch) raiseEpoch(state, held.epoch + 1, nowMs);
  else cluster.decided = held.n;
  state.changedClusters.add(cluster);
  return true;
}

/** The same for a shard's assignments in one region; `shard` is undefined if it is unknown here. */
export function recoverAssignmentNumber(
  state: CoordinatorState,
  shard: ShardState | undefined,
  { held, region, intervalMs }: { held: MessageNumber; region: Region; intervalMs: number },
  nowMs: number,
): boolean {
  const own = { epoch: state.epoch, n: shard?.assigned ?? Number.POSITIVE_INFINITY };
  const holder = `a prober in ${region} (interval ${intervalMs} ms) holds an assignment`;
  if (!mustRecover(state, { held, own, holder, remedy: "give its records another interval" }, nowMs)) return false;
  if (numberAbove(held).epoch > state.epoch) raiseEpoch(state, held.epoch + 1, nowMs);
  else if (shard !== undefined) shard.assigned = held.n;
  if (shard !== undefined) state.changedShards.add(shard);
  return true;
}

type ForeignNumber = { held: MessageNumber; own: MessageNumber; holder: string; remedy: string };

function mustRecover(state: CoordinatorState, { held, own, holder, remedy }: ForeignNumber, nowMs: number): boolean {
  if (!isNewer(held, own)) return false;
  if (isCredible(held, own, nowMs)) return true;
  if (state.loggedHolders.has(holder)) return false;
  state.loggedHolders.add(holder);
  const message = `${holder} numbered ${formatNumber(held)}, whose epoch is more than a day ahead of the clock here, so it ignores messages from here; correct the clocks, then ${remedy}`;
  console.error({ message, partition: state.partition });
  addEvent(state.store.sql, { at: nowMs, type: "NumberOvertaken", message });
  return false;
}

/**
 * Raises the epoch. A later epoch shows that the storage was lost, and the list of clusters with it. So the bootstrap
 * gate closes while clusters may still be missing. All messages get new numbers and are sent again.
 */
function raiseEpoch(state: CoordinatorState, epoch: number, nowMs: number): void {
  const message = `message numbers continue in epoch ${epoch}, above those from before the storage was lost`;
  console.warn({ message, partition: state.partition, before: state.epoch });
  addEvent(state.store.sql, { at: nowMs, type: "NumberOvertaken", message });
  writeMeta(state.store.sql, "createdAt", state.createdAt);
  writeMeta(state.store.sql, "epoch", epoch);
  state.epoch = epoch;
  if (nowMs - state.createdAt < state.settings.edgeStaleAfterMs) {
    state.isBootstrapped = false;
    writeMeta(state.store.sql, "gathered", 0);
  }
  for (const cluster of state.clusters.values()) {
    if (cluster.removedEpoch === undefined) state.changedClusters.add(cluster);
  }
  for (const shard of state.shards.values()) {
    shard.acknowledged.clear();
    state.changedShards.add(shard);
  }
}
