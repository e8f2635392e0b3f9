import { z } from "zod";
import { type StatusCondition, statusCondition } from "../../shared/model/condition.ts";

const readable = statusCondition.extend({ lastTransitionTime: z.iso.datetime({ offset: true }) });

const withConditions = z.object({
  conditions: z
    .array(readable.optional().catch(undefined))
    .transform((list) => list.filter((one) => one !== undefined))
    .catch([]),
});

/** The conditions of a status as it is there; those that somebody wrote in another form are left out. */
export function conditionsOf(status: unknown): StatusCondition[] {
  return withConditions.safeParse(status).data?.conditions ?? [];
}
