import type { DecisionChanges, Decisions } from "../../shared/model/messages/shares.ts";
import type { MessageNumber } from "../../shared/model/number.ts";
import type { RecordStatus } from "../../shared/model/status.ts";
import type { Cluster } from "./world.ts";

/*
 * A record's status is made anew whenever the record has changed (see `told.ts`). So what has changed since a hand-over are the
 * records that have another status now, whatever it was that changed them, and whoever else was told of them in between.
 */

interface Taken {
  number: MessageNumber;
  statuses: WeakSet<RecordStatus>;
  rootHosts: readonly string[];
}

/**
 * The newest decisions that a cluster's object has said to have taken from here: whatever it holds above that number also came from
 * here, and later. Memory only: a start hands over everything.
 */
const taken = new WeakMap<Cluster, Taken>();

/** The cluster's object has taken these decisions, from this very hand-over: what it held before had an older number. */
export function noteTaken(cluster: Cluster, { number, records }: Decisions): void {
  taken.set(cluster, {
    number,
    statuses: new WeakSet(records),
    rootHosts: records.map(({ rootHost }) => rootHost),
  });
}

/** Nobody knows what the cluster's object has. */
export function forgetTaken(cluster: Cluster): void {
  taken.delete(cluster);
}

/** How the decisions differ from those that the cluster's object has taken; undefined where that is not known, or is most of them. */
export function changesSinceTaken(cluster: Cluster, decisions: Decisions): DecisionChanges | undefined {
  const base = taken.get(cluster);
  if (base === undefined || base.number.epoch !== decisions.number.epoch) return undefined;
  const records = decisions.records.filter((status) => !base.statuses.has(status));
  const present = new Set(decisions.records.map(({ rootHost }) => rootHost));
  const removed = base.rootHosts.filter((rootHost) => !present.has(rootHost));
  if (2 * (records.length + removed.length) > decisions.records.length) return undefined;
  return { ...decisions, since: base.number, records, removed };
}
