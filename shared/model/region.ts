import { z } from "zod";

/** Where a probe can run from: the location hints of Durable Objects. */
export const REGIONS = [
  "wnam",
  "enam",
  "sam",
  "weur",
  "eeur",
  "apac",
  "apac-ne",
  "apac-se",
  "oc",
  "afr",
  "me",
] as const;

export const region = z.enum(REGIONS);
export type Region = z.infer<typeof region>;
