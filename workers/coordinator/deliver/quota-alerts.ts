import type { Trouble } from "../../../shared/model/trouble.ts";
import { amountsOf, FREE_A_DAY, ITEM_WORDS, ITEMS, type PricedItem } from "../../../shared/price/prices.ts";
import { dayOf, totalOf } from "../../../shared/usage/tally.ts";
import { usageNow } from "../fold/usage.ts";
import type { CoordinatorState } from "../state.ts";
import { addEvent } from "../store/events.ts";
import { readMeta, writeMeta } from "../store/meta.ts";

/** At this part of the limit the alert is raised: a fifth of a day remains to react. */
const NEAR_LIMIT = 0.8;

/**
 * Raises an alert if the usage is near a daily limit of the free plan: once a day for each limit, also across
 * restarts. Records are spread evenly over partitions, so each partition compares its usage with its part of the
 * limit.
 */
export function checkQuotas(state: CoordinatorState, nowMs: number): void {
  if (state.settings.isFreePlan !== true) return;
  const used = amountsOf(totalOf(usageNow(state, nowMs).today));
  for (const item of ITEMS) {
    const share = (used[item] * state.settings.partitions) / FREE_A_DAY[item];
    if (share < NEAR_LIMIT || alertedAt(state, item, nowMs) !== undefined) continue;
    writeMeta(state.store.sql, `quota/${item}`, nowMs);
    addEvent(state.store.sql, { at: nowMs, type: "QuotaNear", message: sentence(item, share) });
    state.alerts.isChanged = true;
  }
}

/** Today's alerts; they end with the day. */
export function quotaAlerts(state: CoordinatorState, nowMs: number): Trouble[] {
  if (state.settings.isFreePlan !== true) return [];
  return ITEMS.flatMap((item): Trouble[] => {
    const since = alertedAt(state, item, nowMs);
    return since === undefined
      ? []
      : [{ key: `quota/${ITEM_WORDS[item]}`, kind: "QuotaNear", since, summary: sentence(item, NEAR_LIMIT) }];
  });
}

function alertedAt({ store }: CoordinatorState, item: PricedItem, nowMs: number): number | undefined {
  const at = readMeta(store.sql, `quota/${item}`);
  return at !== undefined && dayOf(at) === dayOf(nowMs) ? at : undefined;
}

function sentence(item: PricedItem, share: number): string {
  const limit = `${FREE_A_DAY[item].toLocaleString("en")} ${ITEM_WORDS[item]}`;
  return `${Math.floor(share * 100)} % or more of the ${limit} of the free plan's day are used; beyond them nothing is probed until 00:00 UTC: lengthen intervals, use fewer regions, or switch to the paid plan`;
}
