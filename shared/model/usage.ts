import { z } from "zod";

/**
 * What objects of the edge have used of what Cloudflare bills, counted where it is used. Requests are calls and alarms; awake is the
 * time that an object does or awaits something.
 */
export const usage = z.object({
  requests: z.number().nonnegative(),
  rowsRead: z.number().nonnegative(),
  rowsWritten: z.number().nonnegative(),
  awakeMs: z.number().nonnegative(),
});
export type Usage = z.infer<typeof usage>;

export const NO_USAGE: Usage = { requests: 0, rowsRead: 0, rowsWritten: 0, awakeMs: 0 };

/** The kinds of objects that are counted. */
export const objects = z.enum(["probers", "coordinators", "clusters"]);
export type Objects = z.infer<typeof objects>;

/** As an object tells it with what it says anyway. */
export const usageSince = usage.extend({
  isFirst: z
    .boolean()
    .optional()
    .describe("The first word of a memory: what the one before used after its last word is lost."),
});
export type UsageSince = z.infer<typeof usageSince>;

/** What was used on one UTC day. */
export const usageOfDay = z.object({
  since: z
    .int()
    .nonnegative()
    .describe("When counting began on that day, Unix ms: its beginning, but on the day of install."),
  coordinators: usage,
  clusters: usage,
  probers: z.record(z.string(), usage).describe("By region."),
});
export type UsageOfDay = z.infer<typeof usageOfDay>;

/** Yesterday is absent where nothing was counted then. */
export const usageOfDays = z.object({ today: usageOfDay, yesterday: usageOfDay.optional() });
export type UsageOfDays = z.infer<typeof usageOfDays>;
