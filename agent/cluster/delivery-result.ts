import type { Applied } from "../core.ts";
import type { DeliveryResult } from "../metrics/metrics.ts";

/** What became of a delivery, for metrics. */
export function resultOf({ kind }: Applied, json: unknown): DeliveryResult {
  if (kind !== "Applied") return kind === "Refused" ? "refused" : "not_stored";
  return (json as { kind?: unknown }).kind === "Contact" ? "contact" : "applied";
}
