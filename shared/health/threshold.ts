/** Consecutive failures that a region tolerates, and consecutive successes that it needs to become healthy. */
export type Thresholds = { failureThreshold: number; successThreshold: number };

type FailureThreshold = Pick<Thresholds, "failureThreshold">;

/** The number of consecutive failures that makes a region unhealthy. Further failures change nothing. */
export const failuresToUnhealthy = ({ failureThreshold }: FailureThreshold): number => failureThreshold + 1;

/** Whether this many consecutive failures make a region unhealthy. */
export function isUnhealthyAt(failures: number, threshold: FailureThreshold): boolean {
  return failures >= failuresToUnhealthy(threshold);
}

/** Whether this many consecutive successes make a region healthy. */
export function isHealthyAt(successes: number, { successThreshold }: Pick<Thresholds, "successThreshold">): boolean {
  return successes >= successThreshold;
}
