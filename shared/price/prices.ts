import type { Usage } from "../model/usage.ts";

/*
 * All that the project knows of prices. From https://developers.cloudflare.com/durable-objects/platform/pricing,
 * https://developers.cloudflare.com/workers/platform/pricing and https://aws.amazon.com/route53/pricing/ as of PRICES_AS_OF;
 * list prices in USD, without taxes.
 */
export const PRICES_AS_OF = "2026-11-30";

/** USD for each, of Cloudflare's paid plan; what the plan includes is not taken off. */
export const PRICES = {
  objectRequest: 0.15e-6,
  gbSecond: 12.5e-6,
  rowWritten: 1e-6,
  rowRead: 0.001e-6,
  gbMonth: 0.2,
  logLine: 0.6e-6,
  workerRequest: 0.3e-6,
  workerCpuMs: 0.02e-6,
} as const;

/** The paid plan of an account, a month, whatever runs there. */
export const PLAN_USD = 5;

/** An object is billed for so much memory, whatever it needs. */
export const OBJECT_GB = 0.128;

export const DAYS_A_MONTH = 30;

/** What is counted of objects, in the units that Cloudflare bills. */
export const ITEMS = ["requests", "gbSeconds", "rowsWritten", "rowsRead"] as const;
export type PricedItem = (typeof ITEMS)[number];
export type Amounts = Record<PricedItem, number>;

/** As people read them. */
export const ITEM_WORDS: Record<PricedItem, string> = {
  requests: "requests",
  gbSeconds: "GB-seconds awake",
  rowsWritten: "rows written",
  rowsRead: "rows read",
};

const PRICE_OF: Amounts = {
  requests: PRICES.objectRequest,
  gbSeconds: PRICES.gbSecond,
  rowsWritten: PRICES.rowWritten,
  rowsRead: PRICES.rowRead,
};

/** What the paid plan includes, of one account, a month. */
export const INCLUDED_A_MONTH: Amounts = {
  requests: 1_000_000,
  gbSeconds: 400_000,
  rowsWritten: 50_000_000,
  rowsRead: 25_000_000_000,
};

/** Where the free plan ends, of one account, a UTC day: what comes after fails. */
export const FREE_A_DAY: Amounts = { requests: 100_000, gbSeconds: 13_000, rowsWritten: 100_000, rowsRead: 5_000_000 };

export function amountsOf({ requests, awakeMs, rowsWritten, rowsRead }: Usage): Amounts {
  return { requests, gbSeconds: (awakeMs / 1_000) * OBJECT_GB, rowsWritten, rowsRead };
}

/** The list price of a month that goes on as these days did, by item, and all together. */
export function costOf(usage: Usage, days: number): { usd: number; items: Amounts } {
  const items = { ...amountsOf(usage) };
  for (const item of ITEMS) items[item] *= (PRICE_OF[item] * DAYS_A_MONTH) / days;
  return { usd: ITEMS.reduce((sum, item) => sum + items[item], 0), items };
}

/** What a health check is, as far as Route 53's price depends on it. */
export interface PricedCheck {
  isHttps: boolean;
  intervalMs: number;
  /** Looks for a text in the answer. */
  readsBody: boolean;
}

const ROUTE53_CHECK = 0.75;
const ROUTE53_FEATURE = 2;
/** Below its usual interval it is a feature; ten seconds are its shortest. */
const ROUTE53_INTERVAL_MS = 30_000;

/** USD that Route 53 takes a month for the check of an endpoint outside AWS; each feature beyond plain HTTP or TCP costs. */
export function route53Usd({ isHttps, intervalMs, readsBody }: PricedCheck): number {
  const features = [isHttps, intervalMs < ROUTE53_INTERVAL_MS, readsBody].filter(Boolean).length;
  return ROUTE53_CHECK + features * ROUTE53_FEATURE;
}

/** USD of a month that goes on as these days did, beyond what the paid plan includes. */
export function beyondIncludedUsd(usage: Usage, days: number): number {
  const used = amountsOf(usage);
  return ITEMS.reduce((sum, item) => {
    const beyond = (used[item] * DAYS_A_MONTH) / days - INCLUDED_A_MONTH[item];
    return sum + Math.max(0, beyond) * PRICE_OF[item];
  }, 0);
}
