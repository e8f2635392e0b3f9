import { z } from "zod";
import type { Condition } from "../../../shared/model/condition.ts";
import { type Endpoint, endpoint } from "../../../shared/model/endpoint.ts";
import { fieldErrors, formatFieldError } from "../../../shared/model/field-error.ts";
import type { ShareInput } from "../../../shared/model/messages/shares.ts";
import { type RecordSpec, recordSpec } from "../../../shared/model/record.ts";
import { readTree } from "../../../shared/record/tree.ts";

/** A share is kept in one row. */
const MAX_SHARE_CHARACTERS = 500_000;
const MAX_ERRORS_NAMED = 5;

type ReadShare = { spec: RecordSpec } | { refusal: Condition };

/**
 * Reads the spec of a share with the schema that everyone reads it with: the coordinator takes nobody's word for it, since
 * the release that accepted it may have been another one.
 */
export function readShare(input: ShareInput): ReadShare {
  const characters = JSON.stringify(input.spec)?.length ?? 0;
  if (characters > MAX_SHARE_CHARACTERS) {
    return refused("TooLarge", [`spec: ${characters} characters must be at most ${MAX_SHARE_CHARACTERS}`]);
  }
  const result = recordSpec.safeParse(input.spec);
  if (!result.success) return refused("Invalid", fieldErrors(result.error, input.spec, "spec").map(formatFieldError));
  const reading = readTree(result.data.endpoints);
  if (reading.ok) return { spec: result.data };
  return refused(
    "Invalid",
    reading.errors.map((error) => formatFieldError({ ...error, field: `spec.${error.field}` })),
  );
}

function refused(reason: string, errors: readonly string[]): { refusal: Condition } {
  const named = errors.slice(0, MAX_ERRORS_NAMED).join("; ");
  const more = errors.length > MAX_ERRORS_NAMED ? `; and ${errors.length - MAX_ERRORS_NAMED} more` : "";
  return { refusal: { type: "Accepted", status: "False", reason, message: `${named}${more}` } };
}

const published = z.array(endpoint);

/** What the share says is in DNS now. What cannot be read is taken for nothing. */
export function readPublished(input: ShareInput): Endpoint[] {
  const result = published.safeParse(input.published);
  return result.success ? result.data : [];
}
