import type { DecisionChanges, Decisions } from "../../shared/model/messages/shares.ts";
import { isNewer } from "../../shared/number.ts";
import type { DecisionsAnswer } from "../rpc.ts";
import type { Difference } from "./decisions.ts";
import type { Outbox } from "./outbox.ts";
import type { ClusterStore } from "./store.ts";

type Taker = { store: ClusterStore; outbox: Outbox };

/** Stores decisions that are newer than those of their partition, and lets the outbox know where they differ. */
export function takeDecisions(taker: Taker, decisions: Decisions): DecisionsAnswer {
  const held = taker.store.partitions.get(decisions.partition)?.decisions;
  if (held === undefined) return "Lacking";
  if (!isNewer(decisions.number, held)) return "Held";
  return put(taker, decisions, () => taker.store.decisions.replace(decisions));
}

/** Stores changes that are newer than the decisions of their partition, and stand on those or on some that these came after. */
export function takeChanges(taker: Taker, changes: DecisionChanges): DecisionsAnswer {
  const held = taker.store.partitions.get(changes.partition)?.decisions;
  if (held === undefined) return "Lacking";
  if (!isNewer(changes.number, held)) return "Held";
  if (held.epoch !== changes.since.epoch || held.n < changes.since.n) return "Lacking";
  return put(taker, changes, () => taker.store.decisions.change(changes));
}

function put(
  { store, outbox }: Taker,
  { partition, number }: Pick<Decisions, "partition" | "number">,
  apply: () => Difference,
): "Taken" {
  store.storage.transactionSync(() => {
    store.partitions.setDecisions(partition, number);
    const difference = apply();
    outbox.changed(difference.isDecision, difference);
  });
  outbox.schedule();
  return "Taken";
}
