import type { Counts } from "../model/probe.ts";

/**
 * Whether a region is about to say something else than it says: a healthy one that failed, or an unhealthy one that succeeded,
 * less often than its threshold. Such a probe is checked again soon (design §3, confirmation); thresholds stay what they are.
 */
export function isUnsettled({ says, failures, successes }: Counts): boolean {
  return (says === "Healthy" && failures > 0) || (says === "Unhealthy" && successes > 0);
}

/** When an unsettled probe is to be checked again, Unix ms; undefined where its turn in the round is soon enough. */
export function confirmAt(
  probe: { counts: Counts; checkedAt?: number | undefined },
  confirmIntervalMs: number | undefined,
): number | undefined {
  if (confirmIntervalMs === undefined || probe.checkedAt === undefined || !isUnsettled(probe.counts)) return undefined;
  return probe.checkedAt + confirmIntervalMs;
}
