import type { Cluster, CoordinatorState } from "../state.ts";
import { writeMeta } from "../store/meta.ts";

/**
 * A cluster registers and makes its first call, which creates the coordinator, within this time. An older cluster
 * existed before the storage.
 */
const REGISTRATION_MS = 60_000;

/**
 * Opens the gate once decisions may be delivered. Returns whether it opened now.
 *
 * - An edge without memory learns what is published only from the clusters' shares. A decision based on some shares
 *   would withdraw the leaves of the other clusters.
 * - So it waits for the shares of every cluster, at most for `edgeStaleAfter` (design: an edge without memory).
 * - An open gate stays open. A cluster that registers later has nothing to lose, and delays no other.
 */
export function updateBootstrapGate(state: CoordinatorState, nowMs: number): boolean {
  if (state.isBootstrapped) return false;
  if (nowMs - state.createdAt < state.settings.edgeStaleAfterMs && !hasAllShares(state)) return false;
  state.isBootstrapped = true;
  writeMeta(state.store.sql, "gathered", 1);
  return true;
}

/** Whether decisions may be delivered now. They may not while shares that could not be read are still missing. */
export function mayDeliver(state: CoordinatorState, nowMs: number): boolean {
  if (!state.isBootstrapped) return false;
  return [...state.clusters.values()].every(
    ({ damagedAt }) => damagedAt === undefined || nowMs - damagedAt >= state.settings.edgeStaleAfterMs,
  );
}

/**
 * Whether the shares of all clusters are here. If a cluster is older than this storage, or the epoch is later, the
 * storage was lost. The list of clusters was lost with it, so nothing says which others to wait for. Otherwise all
 * clusters are known. Those without shares are waited for if others have published records, since they may have some
 * too. An edge where nothing is published yet is new.
 */
function hasAllShares(state: CoordinatorState): boolean {
  if (state.epoch > state.createdAt) return false;
  const clusters = [...state.clusters.values()].filter(({ removedEpoch }) => removedEpoch === undefined);
  const heard = clusters.filter(hasSent);
  if (heard.some(({ sharesNumber }) => state.createdAt - sharesNumber.epoch > REGISTRATION_MS)) return false;
  if (heard.length === clusters.length) return heard.length > 0;
  return heard.length > 0 && !heard.some(({ hasPublished }) => hasPublished);
}

const hasSent = ({ sharesNumber }: Cluster) => sharesNumber.epoch > 0;
