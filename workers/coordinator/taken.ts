import type { DecisionChanges, Decisions } from "../../shared/model/messages/shares.ts";
import type { MessageNumber } from "../../shared/model/number.ts";
import type { RecordStatus } from "../../shared/model/status.ts";
import type { Cluster } from "./state.ts";

/*
 * A record's status is made anew whenever the record has changed (see `told.ts`). So what has changed since a hand-over are the
 * records that have another status now, whatever it was that changed them, and whoever else was told of them in between.
 */

interface Taken {
  number: MessageNumber;
  statuses: WeakSet<RecordStatus>;
}

/**
 * The newest decisions that a cluster's object has said to have taken from here: whatever it holds above that number also came from
 * here, and later. Memory only: a start hands over everything.
 */
const taken = new WeakMap<Cluster, Taken>();
/**
 * Root hosts that the object may hold, by whatever way they went to it, with the number of the newest decisions that had them. Those of
 * older decisions than it has taken are none of them.
 */
const given = new WeakMap<Cluster, Map<string, number>>();

/** These decisions leave for the cluster's object, which may take them, and nobody may hear of it. */
export function noteGiven(cluster: Cluster, { number, records }: Decisions): void {
  const rootHosts = given.get(cluster) ?? new Map<string, number>();
  for (const { rootHost } of records) rootHosts.set(rootHost, number.n);
  given.set(cluster, rootHosts);
}

/** The cluster's object has taken these decisions, from this very hand-over: what it held before had an older number. */
export function noteTaken(cluster: Cluster, { number, records }: Decisions): void {
  taken.set(cluster, { number, statuses: new WeakSet(records) });
  const rootHosts = given.get(cluster) ?? new Map<string, number>();
  for (const [rootHost, n] of rootHosts) if (n < number.n) rootHosts.delete(rootHost);
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
  const removed = [...(given.get(cluster)?.keys() ?? [])].filter((rootHost) => !present.has(rootHost));
  if (2 * (records.length + removed.length) > decisions.records.length) return undefined;
  return { ...decisions, since: base.number, records, removed };
}
