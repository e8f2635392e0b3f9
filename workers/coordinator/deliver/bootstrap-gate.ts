import type { Cluster, CoordinatorState } from "../state.ts";
import { writeMeta } from "../store/meta.ts";

/** A cluster registers, and its first call brings the coordinator about, within this time; one that is older was here before. */
const REGISTRATION_MS = 60_000;

/**
 * Whether decisions may be handed out. An edge without memory knows what is published from the clusters' shares alone, and
 * a decision made on some of them would withdraw the others' leaves; so it waits until every cluster has sent its shares,
 * and at most for `edgeStaleAfter` (design §3, an edge without memory). Once it has not to wait any more it never has to
 * again, so that a cluster registered later holds up nobody: it has nothing to lose.
 */
export function updateBootstrapGate(state: CoordinatorState, nowMs: number): boolean {
  if (state.isBootstrapped) return false;
  if (nowMs - state.createdAt < state.settings.edgeStaleAfterMs && !hasAllShares(state)) return false;
  state.isBootstrapped = true;
  writeMeta(state.store.sql, "gathered", 1);
  return true;
}

/** Whether decisions may be handed out now: also not while shares that could not be read back are still missing. */
export function mayDeliver(state: CoordinatorState, nowMs: number): boolean {
  if (!state.isBootstrapped) return false;
  return [...state.clusters.values()].every(
    ({ damagedAt }) => damagedAt === undefined || nowMs - damagedAt >= state.settings.edgeStaleAfterMs,
  );
}

/**
 * A cluster older than this storage, or numbers of a later epoch, tell that the storage was lost, and with it the list of
 * clusters: then nobody knows who else is to be waited for. Otherwise all of them are known, and those that have sent nothing are waited for if others
 * have something published, as they may have too. An edge where nothing is published yet is simply new.
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
