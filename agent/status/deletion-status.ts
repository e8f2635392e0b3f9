import type { Condition } from "../../shared/model/condition.ts";
import { type DnsRecordStatus, dnsRecordStatus } from "../../shared/model/dns-record.ts";
import type { KubeObject } from "../kubernetes/object.ts";
import { conditionsOf, withTransitionTimes } from "./conditions.ts";

/**
 * The status of a `DNSRecord` that is being deleted: as it was, with how far the withdrawal is. What it says of the edge has to
 * stay: a replica that takes over in the middle knows by it that the edge holds the record.
 */
export function deletionStatus(object: KubeObject, withdrawn: Condition, nowMs: number): DnsRecordStatus {
  const before = conditionsOf(object.status);
  const ready: Condition = { type: "Ready", status: "False", reason: "Deleted", message: "It is being deleted." };
  const changed = withTransitionTimes([ready, withdrawn], before, nowMs);
  const others = before.filter(({ type }) => !changed.some((one) => one.type === type));
  const known: Partial<DnsRecordStatus> = dnsRecordStatus.safeParse(object.status).data ?? {};
  return { ...known, conditions: [...others, ...changed] };
}
