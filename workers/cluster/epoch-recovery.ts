import type { MessageNumber } from "../../shared/model/number.ts";
import { isCredible, isNewer, numberAbove } from "../../shared/number.ts";
import { decidedNumber } from "./delivery.ts";
import { tooFarAhead } from "./failure.ts";
import type { ClusterStore } from "./store.ts";

/**
 * Continues above the number that the agent has applied. Otherwise the agent would drop all decisions as old. This
 * happens if the edge's storage was restored, or if another edge had the cluster before. Returns an error text if the
 * number is not credible.
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
