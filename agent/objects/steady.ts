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
export function steadyFailures({ count, failureThreshold, shown, refreshTimes }: CountInput): number {
  // A whole number, as the definition of the kind wants it, whatever a newer edge sends.
  const failures = Math.max(0, Math.trunc(count));
  if (refreshTimes || shown === undefined || shown > failures) return failures;
  return shown > failureThreshold ? shown : failures;
}
