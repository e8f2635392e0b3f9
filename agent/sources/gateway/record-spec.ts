import { fieldErrors, formatFieldError } from "../../../shared/model/field-error.ts";
import type { RecordSpecInput } from "../../../shared/model/record.ts";
import { readTree } from "../../../shared/record/tree.ts";
import { targetsInForce } from "./addresses.ts";
import { endpointsOf } from "./endpoints.ts";
import type { Gateway } from "./gateway.ts";
import { healthCheckOf } from "./health-check.ts";
import { parseSpec } from "./parse-spec.ts";
import type { HostShare } from "./shares.ts";

/** What the record of a host is to say. */
export type SpecOf =
  | { kind: "Spec"; spec: RecordSpecInput; note?: string }
  /** There is nothing to publish yet. */
  | { kind: "None" }
  /** What the policy asks for is no record. Without a message where the policy itself is wrong, which is told elsewhere. */
  | { kind: "Invalid"; message?: string };

/**
 * The spec of a host's record by its policy and the Gateway's addresses.
 *
 * @param lastTargets what the record holds now
 */
export function specOf(
  { addresses }: Gateway,
  { host, listener, policy, sameHost }: HostShare,
  lastTargets: readonly string[],
): SpecOf {
  if (!policy.reading.ok) return { kind: "Invalid" };
  const { healthCheck, minPublished, whenSilent, ...settings } = policy.reading.spec;
  const endpoints = endpointsOf(host, targetsInForce(addresses, lastTargets), settings);
  if (endpoints.length === 0) return { kind: "None" };
  const check = healthCheck && healthCheckOf(healthCheck, listener, sameHost);
  const spec = { rootHost: host, endpoints, minPublished, whenSilent, ...(check && { healthCheck: check }) };
  const message = whyInvalid(spec);
  if (message !== undefined) return { kind: "Invalid", message };
  if (healthCheck === undefined || check !== undefined) return { kind: "Spec", spec };
  const note = `It is not probed, since the protocol ${listener.protocol} does not say how: set healthCheck.protocol.`;
  return { kind: "Spec", spec, note };
}

function whyInvalid(spec: RecordSpecInput): string | undefined {
  const result = parseSpec(spec);
  if (!result.success) return fieldErrors(result.error, spec, "spec").map(formatFieldError).join("; ");
  const tree = readTree(result.data.endpoints);
  return tree.ok ? undefined : tree.errors.map(formatFieldError).join("; ");
}
