import type { HealthCheck } from "../model/health-check.ts";
import type { Expectation } from "../model/probe.ts";

/** What a health check expects of an answer, in the form that a prober is given it. */
export function expectationOf(check: HealthCheck): Expectation {
  return {
    statuses: check.expectedStatuses,
    ...(check.expectedBody !== undefined && { body: check.expectedBody }),
    addressPolicy: check.addressPolicy,
    ...(check.allowInsecureCertificate && { allowInsecureCertificate: true as const }),
  };
}
