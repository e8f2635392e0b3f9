import { failuresToUnhealthy } from "../shared/health/threshold.ts";
import type { HealthCheck } from "../shared/model/health-check.ts";

/** What deciding, delivering and answering may add to the checks themselves. */
const ON_THE_WAY_MS = 1_000;

/** How long after its failure an endpoint may still be in DNS: interval × (failureThreshold + 1) + timeout + 1 s. */
export function leavesWithinMs(check: HealthCheck): number {
  return check.intervalMs * failuresToUnhealthy(check) + check.timeoutMs + ON_THE_WAY_MS;
}

/** How long after its recovery an endpoint may still be out of DNS: interval × successThreshold + timeout + 1 s. */
export function returnsWithinMs(check: HealthCheck): number {
  return check.intervalMs * check.successThreshold + check.timeoutMs + ON_THE_WAY_MS;
}
