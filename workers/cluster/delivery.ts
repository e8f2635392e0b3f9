import type { Delivery } from "../../shared/model/messages/delivery.ts";
import type { MessageNumber } from "../../shared/model/number.ts";
import { compareNumbers } from "../../shared/number.ts";
import type { ClusterStore } from "./store.ts";

/** The number of the newest decisions, as a whole. */
export function decidedNumber(store: ClusterStore): MessageNumber {
  const { epoch = store.identity.get().epoch, n } = store.outbox.get();
  return { epoch, n };
}

/**
 * Whether every partition has given its decisions, so that a delivery is whole; what is still missing once `patienceMs`
 * have gone since the first snapshot is waited for no longer (design §3, an edge without memory).
 */
export function isComplete(store: ClusterStore, patienceMs: number, nowMs: number): boolean {
  if (store.outbox.get().complete) return true;
  const { firstAt } = store.snapshot.get();
  if (firstAt === undefined) return false;
  const complete = nowMs - firstAt >= patienceMs || hasAllDecisions(store);
  if (complete) store.outbox.update({ complete });
  return complete;
}

/** A partition in which the cluster has no records owes nothing once it knows that. */
function hasAllDecisions(store: ClusterStore): boolean {
  const used = store.records.usedPartitions();
  const all = store.partitions.all();
  return all.every((one) => one.decisions.epoch > 0 || (!used.has(one.partition) && one.forwardedN >= one.sharesN));
}

/** Whether an agent that has applied `applied` lacks decisions that it may be given. */
export function isBehind(store: ClusterStore, applied: MessageNumber, complete: boolean): boolean {
  const number = decidedNumber(store);
  return complete && number.n > 0 && compareNumbers(applied, number) < 0;
}

/** The newest state for an agent that has applied `applied`: whole where that is older, else word from the edge only. */
export function deliveryFor(store: ClusterStore, applied: MessageNumber, complete: boolean, nowMs: number): Delivery {
  const cluster = store.identity.get().cluster ?? "";
  const head = { version: 1, cluster, number: decidedNumber(store), sentAt: nowMs } as const;
  if (!isBehind(store, applied, complete)) return { ...head, kind: "Contact" };
  return { ...head, kind: "Full", records: store.decisions.all() };
}
