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

/** Registers a cluster. A registered cluster stays as it is. */
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
  addEvent(state.store.sql, { at: nowMs, type: "ClusterRegistered", cluster: name, message: `${name} was registered` });
  return cluster;
}

/**
 * Removes a cluster and its shares. A tombstone stays, since a late call of the cluster may still arrive. `epoch` is
 * the epoch of the removed cluster's numbers. A late repetition finds a newer cluster of the same name, and leaves it
 * alone.
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
 * The cluster that sent a message. An unknown cluster is registered, since storage may have been lost. A removed
 * cluster is not, unless its object was created after the removal.
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

/** Repairs losses in either direction: see `CoordinatorRpc.contact`. */
export function contact(state: CoordinatorState, message: ClusterContact, nowMs: number): ContactReceipt {
  const cluster = senderOf(state, message.cluster, message.sharesNumber, nowMs);
  if (cluster === undefined) return { sharesWanted: false };
  noteReachability(state, cluster, message.unreachable);
  noteContact(state, message, nowMs);
  // The response must carry a number that the cluster accepts.
  if (recoverDecisionNumber(state, cluster, message.decisionsNumber, nowMs)) commit(state);
  const sharesWanted = message.sharesNumber.n > 0 && isNewer(message.sharesNumber, cluster.sharesNumber);
  const decided = { epoch: state.epoch, n: cluster.decided };
  if (!isNewer(decided, message.decisionsNumber)) {
    noteHanded(state, cluster, Math.min(cluster.decided, message.decisionsNumber.n));
    return { sharesWanted };
  }
  const decisions = decisionsFor(state, cluster, nowMs);
  return { sharesWanted, ...(decisions !== undefined && { decisions }) };
}
