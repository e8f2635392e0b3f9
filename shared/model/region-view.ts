import { z } from "zod";
import { region } from "./region.ts";

/** How a region does, over all its shards. Times in Unix ms. */
export const regionView = z.strictObject({
  region,
  shards: z.int().nonnegative(),
  silentShards: z.int().nonnegative(),
  probes: z.int().nonnegative(),
  colos: z.array(z.string()).describe("Data centres that its probers really ran in."),
  lastReportAt: z.int().nonnegative().optional(),
  lateMs: z.number().nonnegative().optional().describe("How late its last rounds began, at worst."),
  suspect: z.boolean().describe("Most of its probes turned at one moment: evidence against the region."),
});
export type RegionView = z.infer<typeof regionView>;
