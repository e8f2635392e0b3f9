import { isUnhealthyAt } from "../../shared/health/threshold.ts";

/** A count of failed checks, and the count in the current status. */
export interface CountInput {
  count: number;
  /** A region is unhealthy above this count, so higher counts add no information. */
  failureThreshold: number;
  /** Undefined if there is no status yet. */
  shown: number | undefined;
  /** Whether exact counts are due. */
  refreshTimes: boolean;
}

/**
 * The consecutive failures for the status. Beyond the threshold the count stays until the next refresh. Otherwise, in
 * an outage, each of a thousand dead addresses would cause a write for each delivery.
 */
export function suppressFailureChurn({ count, failureThreshold, shown, refreshTimes }: CountInput): number {
  // The CRD requires an integer, whatever a newer edge sends.
  const failures = Math.max(0, Math.trunc(count));
  if (refreshTimes || shown === undefined || shown > failures) return failures;
  return isUnhealthyAt(shown, { failureThreshold }) ? shown : failures;
}

/** A count of successful checks with the region's verdict, and both as in the current status. */
export interface SuccessInput {
  count: number;
  says: string;
  /** Higher counts add no information. */
  successThreshold: number;
  shown: { consecutiveSuccesses: number; says: string } | undefined;
  refreshTimes: boolean;
}

/**
 * The consecutive successes for the status, up to the threshold. The count stays while the region's verdict stays.
 * Otherwise every healthy address would cause a write at the next change of any address.
 */
export function suppressSuccessChurn({ count, says, successThreshold, shown, refreshTimes }: SuccessInput): number {
  const successes = Math.min(Math.max(0, Math.trunc(count)), successThreshold);
  const stands = !refreshTimes && shown?.says === says && shown.consecutiveSuccesses > 0 && successes > 0;
  return stands ? shown.consecutiveSuccesses : successes;
}
