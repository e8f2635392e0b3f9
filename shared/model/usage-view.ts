import { z } from "zod";
import { ITEMS } from "../price/prices.ts";
import { objects, usage, usageOfDay } from "./usage.ts";

const item = z.enum(ITEMS);

/** A day's use, with what it costs. */
const dayView = usageOfDay.extend({
  days: z.number().describe("How much of the day is counted, in days."),
  total: usage.describe("Of all objects."),
  monthUsd: z.number().describe("The list price of a month that goes on like this."),
  parts: z
    .array(z.strictObject({ objects, item, monthUsd: z.number() }))
    .describe("What it is made of, the most first."),
});
export type DayView = z.infer<typeof dayView>;

/** What the edge uses of what Cloudflare bills, counted by its objects. Money is in USD, without taxes. */
export const usageView = z.strictObject({
  at: z.int().nonnegative().describe("Unix ms."),
  plan: z.enum(["paid", "free"]),
  pricesAsOf: z.iso.date(),
  endpoints: z.int().nonnegative().describe("Leaves that are probed now."),
  today: dayView,
  yesterday: dayView.optional().describe("Absent where nothing was counted then."),
  pace: z
    .enum(["today", "yesterday"])
    .describe("The day that a month is reckoned by: yesterday, if all of it was counted."),
  monthUsd: z.number().describe("The list price of a month at that pace; what a plan includes is not taken off."),
  endpointMonthUsd: z.number().optional().describe("The same for each endpoint; absent where there is none."),
  beyondIncludedUsd: z
    .number()
    .describe(
      "Of that, what comes on top of the paid plan's price, where nothing else of the account uses what it includes.",
    ),
  limits: z
    .array(z.strictObject({ item, used: z.number(), limit: z.number(), per: z.enum(["day", "month"]) }))
    .describe(
      "Free plan: what was used today of what a day allows. Paid plan: a month at that pace, and what is included.",
    ),
  route53Usd: z.number().describe("What Route 53 takes a month for the same checks."),
});
export type UsageView = z.infer<typeof usageView>;
