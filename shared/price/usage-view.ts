import type { UsageOfDay, UsageOfDays } from "../model/usage.ts";
import type { DayView, UsageView } from "../model/usage-view.ts";
import { byObjects, dayBegin, joinDays, newTally, totalOf } from "../usage/tally.ts";
import {
  amountsOf,
  beyondIncludedUsd,
  costOf,
  DAYS_A_MONTH,
  FREE_A_DAY,
  INCLUDED_A_MONTH,
  ITEMS,
  PRICES_AS_OF,
} from "./prices.ts";

const DAY_MS = 86_400_000;
/** A pace needs some time to be one. */
const LEAST_MS = 60_000;

interface Partition {
  days: UsageOfDays;
  endpoints: number;
  route53Usd: number;
}

/** What all partitions use, with what it costs. `nowMs` is Unix ms. */
export function usageViewOf(partitions: readonly Partition[], plan: UsageView["plan"], nowMs: number): UsageView {
  const begin = dayBegin(nowMs);
  const todays = partitions.map(({ days }) => days.today).filter(({ since }) => since >= begin);
  const today = dayViewOf(joinDays(todays) ?? newTally(nowMs).today, nowMs);
  const before = joinDays(partitions.flatMap(({ days }) => days.yesterday ?? []));
  const yesterday = before && dayViewOf(before, begin);
  const pace = yesterday?.days === 1 ? "yesterday" : "today";
  const at = (pace === "yesterday" && yesterday) || today;
  const endpoints = partitions.reduce((sum, partition) => sum + partition.endpoints, 0);
  return {
    at: nowMs,
    plan,
    pricesAsOf: PRICES_AS_OF,
    endpoints,
    today,
    ...(yesterday !== undefined && { yesterday }),
    pace,
    monthUsd: at.monthUsd,
    ...(endpoints > 0 && { endpointMonthUsd: at.monthUsd / endpoints }),
    beyondIncludedUsd: beyondIncludedUsd(at.total, at.days),
    limits: plan === "free" ? dailyLimits(today) : included(at),
    route53Usd: partitions.reduce((sum, partition) => sum + partition.route53Usd, 0),
  };
}

/** `untilMs`: until when the day is counted, Unix ms. */
function dayViewOf(day: UsageOfDay, untilMs: number): DayView {
  const days = Math.max(LEAST_MS, untilMs - day.since) / DAY_MS;
  const parts = byObjects(day).flatMap(({ objects, used }) => {
    const { items } = costOf(used, days);
    return ITEMS.map((item) => ({ objects, item, monthUsd: items[item] }));
  });
  parts.sort((a, b) => b.monthUsd - a.monthUsd);
  const total = totalOf(day);
  return { ...day, days, total, monthUsd: costOf(total, days).usd, parts };
}

function dailyLimits({ total }: DayView): UsageView["limits"] {
  const used = amountsOf(total);
  return ITEMS.map((item) => ({ item, used: used[item], limit: FREE_A_DAY[item], per: "day" }));
}

function included({ total, days }: DayView): UsageView["limits"] {
  const used = amountsOf(total);
  return ITEMS.map((item) => {
    return { item, used: (used[item] * DAYS_A_MONTH) / days, limit: INCLUDED_A_MONTH[item], per: "month" };
  });
}
