import type { Counts } from "../model/probe.ts";

/**
 * Whether a region is about to change what it reports. A healthy one has failed, or an unhealthy one has succeeded, less often
 * than its threshold. Such a probe is checked again soon (docs/design/health.md, confirmation); thresholds stay what they are.
 */
export function isUnsettled({ says, failures, successes }: Counts): boolean {
  return (says === "Healthy" && failures > 0) || (says === "Unhealthy" && successes > 0);
}

/** How a probe stands in a region: when its last completed check ended, and when the last one of any outcome began (Unix ms). */
interface Confirmable {
  counts: Counts;
  checkedAt?: number | undefined;
  askedAt?: number | undefined;
}

/**
 * When an unsettled probe is to be checked again, Unix ms: an interval after its last check began, and at once where that took
 * longer. Undefined where its turn in the round is soon enough.
 */
export function confirmAt(
  { counts, checkedAt, askedAt = checkedAt }: Confirmable,
  confirmIntervalMs: number | undefined,
): number | undefined {
  if (confirmIntervalMs === undefined || checkedAt === undefined || askedAt === undefined) return undefined;
  return isUnsettled(counts) ? Math.max(askedAt + confirmIntervalMs, checkedAt) : undefined;
}
