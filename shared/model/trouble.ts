import { z } from "zod";

export const troubleKind = z.enum([
  "RecordCritical",
  "RecordDegraded",
  "RegionSilent",
  "ClusterUnreachable",
  "QuotaNear",
]);
export type TroubleKind = z.infer<typeof troubleKind>;

/**
 * A fault that people are notified of while it lasts. Coordinators say which there are, whole; what is missing from the list has
 * ended.
 */
export const trouble = z.object({
  /** Names it over its whole life: `record/api.example.com`, `region/weur`, `cluster/east`. */
  key: z.string(),
  kind: troubleKind,
  /** Since when it is so, and of this kind, Unix ms. Does not move while that lasts. */
  since: z.int().nonnegative(),
  /** One line, such as the sentences of `shared/explain/`. Never a secret. */
  summary: z.string().max(1_000),
});
export type Trouble = z.infer<typeof trouble>;

/** All that is wrong in one partition at this moment. */
export const troubles = z.object({
  partition: z.int().nonnegative(),
  /** When it was so, Unix ms; each list of a partition has a later one than the list before. */
  at: z.int().nonnegative(),
  troubles: z.array(trouble),
});
export type Troubles = z.infer<typeof troubles>;
