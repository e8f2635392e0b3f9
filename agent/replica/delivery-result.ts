import type { MessageNumber } from "../../shared/model/number.ts";
import { compareNumbers } from "../../shared/number.ts";
import type { Applied } from "../controller.ts";
import type { DeliveryResult } from "../metrics/metrics.ts";

/** What became of a delivery, for metrics. */
export function resultOf(applied: Applied, json: unknown): DeliveryResult {
  if (applied.kind !== "Applied") return applied.kind === "Refused" ? "refused" : "not_stored";
  // It was read where it was applied.
  const { kind, number } = json as { kind: string; number: MessageNumber };
  if (kind === "Contact") return "contact";
  return compareNumbers(applied.number, number) < 0 ? "base_missing" : "applied";
}

/** Whether a message is one of changes: of what can be anything, it is not read any further. */
export const isChanges = (json: unknown): boolean =>
  (json as { kind?: unknown } | undefined | null)?.kind === "Changes";
