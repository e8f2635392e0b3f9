import { z } from "zod";

/** A condition by the Kubernetes API conventions. `reason` is CamelCase; `message` is for people. */
export const condition = z.object({
  type: z.string().describe("What it is about."),
  status: z.enum(["True", "False", "Unknown"]).describe("Whether it is so."),
  reason: z.string().describe("Why, in one word."),
  message: z.string().describe("The same for people."),
});
export type Condition = z.infer<typeof condition>;

/** A condition as a status keeps it. */
export const statusCondition = condition.extend({
  lastTransitionTime: z
    .string()
    .meta({ format: "date-time" })
    .describe("When its status last changed (RFC 3339, UTC)."),
  observedGeneration: z.int().optional().describe("The generation of the spec that it is about."),
});
export type StatusCondition = z.infer<typeof statusCondition>;

/** The conditions of a status: at most one of a type. */
export const statusConditions = z
  .array(statusCondition)
  .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"] });
