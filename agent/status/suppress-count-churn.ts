import { isUnhealthyAt } from "../../shared/health/threshold.ts";

/** A count of failed checks, as it is and as it is shown until now. */
export interface CountInput {
  count: number;
  /** A region says unhealthy above it: what is counted beyond says nothing more. */
  failureThreshold: number;
  /** Undefined where nothing is shown yet. */
  shown: number | undefined;
  /** Whether it is time to show exactly how many there were. */
  refreshTimes: boolean;
}

/**
 * The failures in a row to be shown. Beyond the threshold they stand until times are refreshed: in an outage each of a thousand
 * dead addresses would else be a write for every delivery.
 */
export function suppressFailureChurn({ count, failureThreshold, shown, refreshTimes }: CountInput): number {
  // A whole number, as the definition of the kind wants it, whatever a newer edge sends.
  const failures = Math.max(0, Math.trunc(count));
  if (refreshTimes || shown === undefined || shown > failures) return failures;
  return isUnhealthyAt(shown, { failureThreshold }) ? shown : failures;
}

/** Successes in a row, and what the region says, as they are and as they are shown until now. */
export interface SuccessInput {
  count: number;
  says: string;
  /** Beyond it they say nothing more. */
  successThreshold: number;
  shown: { consecutiveSuccesses: number; says: string } | undefined;
  refreshTimes: boolean;
}

/**
 * The successes in a row to be shown, up to the threshold. As long as the region says the same they stand: else every healthy
 * address would be a write at the next change of any.
 */
export function suppressSuccessChurn({ count, says, successThreshold, shown, refreshTimes }: SuccessInput): number {
  const successes = Math.min(Math.max(0, Math.trunc(count)), successThreshold);
  const stands = !refreshTimes && shown?.says === says && shown.consecutiveSuccesses > 0 && successes > 0;
  return stands ? shown.consecutiveSuccesses : successes;
}
