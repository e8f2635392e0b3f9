import { stringify } from "yaml";
import { leavesWithinMs, returnsWithinMs } from "../../../local/narrator.ts";
import { healthCheck } from "../../../shared/model/health-check.ts";

/** The quickest health check that the product allows, from three regions. */
const CHECK = {
  protocol: "HTTP",
  path: "/healthz",
  interval: "1s",
  timeout: "1s",
  failureThreshold: 2,
  successThreshold: 2,
  regions: ["weur", "enam", "apac"],
  quorum: "Majority",
};

/** What the issue promises for that check. */
const read = healthCheck.parse(CHECK);
export const LEAVES_WITHIN_MS = leavesWithinMs(read);
export const RETURNS_WITHIN_MS = returnsWithinMs(read);
export const ROUND_MS = read.intervalMs;
/** For what comes soon, but is promised nowhere by when. */
export const PATIENCE_MS = 90_000;

type Spec = {
  targets: readonly string[];
  recordType?: "A" | "CNAME";
  /** Fields that differ from CHECK; null for a record without a health check. */
  check?: Record<string, unknown> | null;
};

/** A `DNSRecord` manifest with one endpoint at its root host, as a user would write it. */
export function recordYaml(host: string, port: number, { targets, recordType = "A", check = {} }: Spec): string {
  return stringify({
    apiVersion: "vedette.dev/v1alpha1",
    kind: "DNSRecord",
    metadata: { name: host.split(".")[0], namespace: "shop" },
    spec: {
      rootHost: host,
      endpoints: [{ dnsName: host, recordType, recordTTL: 5, targets }],
      ...(check === null ? {} : { healthCheck: { ...CHECK, port, ...check } }),
    },
  });
}
