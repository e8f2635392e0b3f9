import { z } from "zod";

/** A condition by the Kubernetes API conventions. `reason` is CamelCase; `message` is for people. */
export const condition = z.object({
  type: z.string(),
  status: z.enum(["True", "False", "Unknown"]),
  reason: z.string(),
  message: z.string(),
});
export type Condition = z.infer<typeof condition>;
