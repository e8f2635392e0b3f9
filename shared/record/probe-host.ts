import type { HealthCheck } from "../model/health-check.ts";
import type { RecordSpec } from "../model/record.ts";

/**
 * Whether there is a name to ask a leaf for. A wildcard is no such name, and withdrawing it would withdraw every name below it.
 * It is probed only where the policy names a host (docs/design/decision.md, step 5). TCP asks for no name.
 */
export function hasProbeHost(
  { rootHost, endpoints }: Pick<RecordSpec, "rootHost" | "endpoints">,
  check: Pick<HealthCheck, "host" | "protocol">,
  leaf: string,
): boolean {
  if (check.host !== undefined || check.protocol === "TCP") return true;
  if (isWildcard(rootHost)) return false;
  return endpoints.some(({ dnsName, targets }) => !isWildcard(dnsName) && targets.includes(leaf));
}

/** The name that a record's leaves are asked for: Host header, and with HTTPS the name that the certificate has to name. */
export function probeHost({ rootHost }: Pick<RecordSpec, "rootHost">, check: Pick<HealthCheck, "host">): string {
  return check.host ?? rootHost.replace(/^\*\./, "");
}

const isWildcard = (name: string) => name.startsWith("*.");
