import type { Delivery, WholeDelivery } from "../../shared/model/messages/delivery.ts";
import type { MessageNumber } from "../../shared/model/number.ts";
import { compareNumbers, formatNumber } from "../../shared/number.ts";
import type { ChangesSince } from "./agent-base.ts";
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
export function deliveryFor(
  store: ClusterStore,
  applied: MessageNumber,
  complete: boolean,
  nowMs: number,
): WholeDelivery {
  if (!isBehind(store, applied, complete)) return { ...headOf(store, nowMs), kind: "Contact" };
  return { ...headOf(store, nowMs), kind: "Full", records: store.decisions.all() };
}

/** The newest state of those records alone that are others since. */
export function changesFor(store: ClusterStore, { since, rootHosts }: ChangesSince, nowMs: number): Delivery {
  const records = store.decisions.of(rootHosts);
  const standing = new Set(records.map(({ rootHost }) => rootHost));
  const removed = rootHosts.filter((rootHost) => !standing.has(rootHost));
  return { ...headOf(store, nowMs), kind: "Changes", since, records, removed };
}

function headOf(store: ClusterStore, nowMs: number) {
  const { cluster = "" } = store.identity.get();
  return { version: 1, cluster, number: decidedNumber(store), sentAt: nowMs } as const;
}

/**
 * The `webhook-id`, the same over retries: a delivery is known by its number, which changes share with none that is whole, and
 * word from the edge by when it left.
 */
export function deliveryId({ kind, number, sentAt }: Delivery): string {
  const id = formatNumber(number).replace(".", "_");
  switch (kind) {
    case "Full":
      return `delivery_${id}`;
    case "Changes":
      return `changes_${id}`;
    case "Contact":
      return `contact_${id}_${sentAt}`;
  }
}
