import { z } from "zod";

/** One broken rule: where, what stood there, and what the rule is. Values of secret fields are never carried. */
export const fieldError = z.strictObject({
  field: z.string(),
  value: z.string().optional(),
  rule: z.string(),
});
export type FieldError = z.infer<typeof fieldError>;

/** An error answer by RFC 9457 (`application/problem+json`). */
export const problem = z.strictObject({
  type: z.string().describe("A URI that names the kind of problem."),
  title: z.string(),
  status: z.int(),
  detail: z.string().optional(),
  errors: z.array(fieldError).optional(),
});
export type Problem = z.infer<typeof problem>;
