import { z } from "zod";
import type { Condition } from "../../../shared/model/condition.ts";
import { type Endpoint, endpoint } from "../../../shared/model/endpoint.ts";
import { fieldErrors, formatFieldError } from "../../../shared/model/field-error.ts";
import type { ShareInput } from "../../../shared/model/messages/shares.ts";
import { type RecordSpec, recordSpec } from "../../../shared/model/record.ts";
import { readTree } from "../../../shared/record/tree.ts";

/** A share is stored in one row. */
const MAX_SHARE_CHARACTERS = 500_000;
const MAX_ERRORS_NAMED = 5;

type ReadShare = { spec: RecordSpec } | { refusal: Condition };

/**
 * Parses the spec of a share with the shared schema. The coordinator does not trust earlier validation, since another
 * release may have done it.
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

/** What the share reports as published in DNS; empty if it cannot be parsed. */
export function readPublished(input: ShareInput): Endpoint[] {
  const result = published.safeParse(input.published);
  return result.success ? result.data : [];
}
