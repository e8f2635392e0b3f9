import { z } from "zod";

/** A condition by the Kubernetes API conventions. `reason` is CamelCase; `message` is for people. */
export const condition = z.object({
  type: z.string(),
  status: z.enum(["True", "False", "Unknown"]),
  reason: z.string(),
  message: z.string(),
});
export type Condition = z.infer<typeof condition>;

/** A condition as a status keeps it, with the time (RFC 3339, UTC) at which its `status` last changed. */
export const statusCondition = condition.extend({
  lastTransitionTime: z.string(),
  observedGeneration: z.int().optional(),
});
export type StatusCondition = z.infer<typeof statusCondition>;
