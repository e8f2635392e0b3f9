import { checkHeaders } from "../../shared/headers.ts";
import type { Condition } from "../../shared/model/condition.ts";
import { formatFieldError } from "../../shared/model/field-error.ts";
import type { SnapshotRecord } from "../../shared/model/messages/snapshot.ts";
import type { SealedHeaders } from "../../shared/model/probe.ts";
import type { FieldError } from "../../shared/model/problem.ts";
import { type HeaderKeys, sealHeaders } from "./sealed.ts";

const MAX_ERRORS_NAMED = 4;

/** The sealed secret headers of a record, and the condition while its probes rest. */
export type RecordHeaders = { headers?: SealedHeaders; resting?: Condition };

/**
 * Seals the secret headers of a record. An error in them is a configuration error. Then the probes rest and keep their
 * previous headers, so that the correction restarts no count (docs/design/decision.md, shares).
 */
export async function headersOf(
  record: SnapshotRecord,
  held: SealedHeaders | undefined,
  keys: HeaderKeys,
): Promise<RecordHeaders> {
  if (record.spec.healthCheck?.additionalHeadersRef === undefined) return {};
  const rest = (reason: string, message: string): RecordHeaders => ({
    ...(held && { headers: held }),
    resting: { type: "Resting", status: "True", reason, message },
  });
  if (record.headersProblem !== undefined) return rest("HeadersUnavailable", record.headersProblem);
  if (record.headers === undefined)
    return rest("HeadersUnavailable", "The snapshot carries no headers for the record.");
  const checked = checkHeaders(record.headers);
  if (!checked.ok) return rest("HeadersRefused", inFewWords(checked.errors));
  const headers = await sealHeaders(checked.headers, held, keys);
  return headers ? { headers } : rest("HeaderKeyMissing", "The Worker has no HEADER_KEY to seal the headers with.");
}

/** The message is stored and delivered with the record. */
function inFewWords(errors: readonly FieldError[]): string {
  const named = errors.slice(0, MAX_ERRORS_NAMED).map(formatFieldError).join("; ");
  return errors.length > MAX_ERRORS_NAMED ? `${named}; and ${errors.length - MAX_ERRORS_NAMED} more` : named;
}
