import { isNewer, NO_NUMBER } from "../../../shared/number.ts";
import type { ClusterContact, ContactReceipt } from "../../rpc.ts";
import { commit } from "../commit.ts";
import { noteReachability } from "../deliver/alerts.ts";
import { recoverDecisionNumber } from "../epoch-recovery.ts";
import { noteContact } from "../fold/usage.ts";
import { decisionsFor, noteHanded } from "../hand-over.ts";
import { type Cluster, type CoordinatorState, type Root, recordOf } from "../state.ts";
import { addEvent } from "../store/events.ts";
import { storeCluster } from "../store/persist.ts";
import { reconcile } from "./reconcile.ts";
import { markChanged } from "./roots.ts";

/** Makes a cluster known; one that is known already is left as it is. */
export function registerCluster(state: CoordinatorState, name: string, nowMs: number): Cluster {
  const known = state.clusters.get(name);
  if (known !== undefined && known.removedEpoch === undefined) return known;
  const cluster: Cluster = {
    name,
    shares: new Map(),
    knownAt: nowMs,
    sharesNumber: NO_NUMBER,
    hasPublished: false,
    decided: known?.decided ?? 0,
    handed: known?.decided ?? 0,
  };
  state.clusters.set(name, cluster);
  storeCluster(state, cluster);
  addEvent(state.store.sql, { at: nowMs, type: "ClusterRegistered", cluster: name, message: `${name} is known here` });
  return cluster;
}

/**
 * Forgets a cluster and its shares; a grave stays, since a call of it may still be on its way. `epoch` is that of the
 * numbers that end with it: a repetition that comes late finds a newer cluster under the name, and leaves it alone.
 */
export function removeCluster(state: CoordinatorState, name: string, epoch: number, nowMs: number): void {
  const cluster = state.clusters.get(name);
  if (cluster === undefined || cluster.removedEpoch !== undefined || cluster.sharesNumber.epoch > epoch) return;
  const roots = new Set<Root>();
  for (const share of cluster.shares.values()) {
    const root = state.roots.get(share.spec.rootHost);
    state.store.shares.delete(recordOf(share));
    if (root === undefined) continue;
    root.shares = root.shares.filter((other) => other !== share);
    roots.add(root);
  }
  cluster.shares.clear();
  cluster.removedEpoch = epoch;
  delete cluster.damagedAt;
  delete cluster.unreachable;
  state.alerts.isChanged = true;
  storeCluster(state, cluster);
  reconcile(state, roots, nowMs);
  for (const root of roots) markChanged(state, root);
  addEvent(state.store.sql, { at: nowMs, type: "ClusterRemoved", cluster: name, message: `${name} was removed` });
}

/**
 * The cluster that a message is from: one that nobody knows here is taken in, since storage may have been lost; not one
 * that was removed, unless its object was made anew after that.
 */
export function senderOf(
  state: CoordinatorState,
  name: string,
  number: { epoch: number },
  nowMs: number,
): Cluster | undefined {
  const known = state.clusters.get(name);
  if (known?.removedEpoch !== undefined && number.epoch <= known.removedEpoch) return undefined;
  return registerCluster(state, name, nowMs);
}

/** Repairs what was lost in either direction: see `CoordinatorRpc.contact`. */
export function contact(state: CoordinatorState, word: ClusterContact, nowMs: number): ContactReceipt {
  const cluster = senderOf(state, word.cluster, word.sharesNumber, nowMs);
  if (cluster === undefined) return { sharesWanted: false };
  noteReachability(state, cluster, word.unreachable);
  noteContact(state, word, nowMs);
  // The answer has to carry a number that the cluster takes.
  if (recoverDecisionNumber(state, cluster, word.decisionsNumber, nowMs)) commit(state);
  const sharesWanted = word.sharesNumber.n > 0 && isNewer(word.sharesNumber, cluster.sharesNumber);
  const decided = { epoch: state.epoch, n: cluster.decided };
  if (!isNewer(decided, word.decisionsNumber)) {
    noteHanded(state, cluster, Math.min(cluster.decided, word.decisionsNumber.n));
    return { sharesWanted };
  }
  const decisions = decisionsFor(state, cluster, nowMs);
  return { sharesWanted, ...(decisions !== undefined && { decisions }) };
}
