import { z } from "zod";
import { REASON_NAMES } from "../reason.ts";

export const reason = z.enum(REASON_NAMES);

/** Time spent, in milliseconds; a phase that was not reached is absent. */
export const phases = z.object({
  resolveMs: z.number().nonnegative().optional(),
  connectMs: z.number().nonnegative().optional(),
  firstByteMs: z.number().nonnegative().optional(),
  totalMs: z.number().nonnegative(),
});
export type Phases = z.infer<typeof phases>;

export const MAX_MESSAGE_CHARACTERS = 300;

/** The outcome of one probe, once, from one region. `outcomeOf(reason)` says how it counts. */
export const observation = z.object({
  reason,
  message: z.string().max(MAX_MESSAGE_CHARACTERS).optional().describe("For a person; never holds a header value."),
  /** When the check ended, Unix ms. */
  at: z.int().nonnegative(),
  phases,
  address: z.string().optional().describe("The address asked, where the leaf is a host name."),
  httpStatus: z.int().optional(),
});
export type Observation = z.infer<typeof observation>;
