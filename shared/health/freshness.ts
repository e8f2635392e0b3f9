/** Whether a region's report on a probe is recent, still expected, or neither (docs/design/health.md, regions). */
export type Freshness = "Fresh" | "Awaited" | "Silent";

type Seen = {
  /** The last completed check, Unix ms; an indeterminate one does not count. */
  checkedAt?: number;
  /** The latest of: assigned to the region, timing edited, the coordinator's own start or gap. Unix ms. */
  awaitedFrom: number;
};

export function freshnessOf(seen: Seen, staleAfterMs: number, nowMs: number): Freshness {
  if (seen.checkedAt !== undefined && nowMs - seen.checkedAt <= staleAfterMs) return "Fresh";
  return nowMs - seen.awaitedFrom <= staleAfterMs ? "Awaited" : "Silent";
}
