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
