import type { MessageNumber } from "../../shared/model/number.ts";
import { isCredible, isNewer, numberAbove } from "../../shared/number.ts";
import { decidedNumber } from "./delivery.ts";
import { tooFarAhead } from "./failure.ts";
import type { ClusterStore } from "./store.ts";

/**
 * Numbers on above what the agent has applied, or it would take all that is decided for old: the edge was put back to an
 * earlier time, or another one had the cluster before. Answers why not, in words, where the number is nonsense.
 */
export function goPast(store: ClusterStore, applied: MessageNumber, nowMs: number): string | undefined {
  const decided = decidedNumber(store);
  if (!isNewer(applied, decided)) return undefined;
  if (!isCredible(applied, decided, nowMs)) return tooFarAhead(applied);
  const above = numberAbove(applied);
  const { unconfirmed } = store.outbox.get();
  store.outbox.update({
    ...above,
    unconfirmed: unconfirmed && { ...unconfirmed, first: above.n, last: above.n },
  });
  return undefined;
}
