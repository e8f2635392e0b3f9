import type { Condition } from "../../shared/model/condition.ts";
import { type DnsRecordStatus, dnsRecordStatus } from "../../shared/model/dns-record.ts";
import type { KubeObject } from "../kubernetes/object.ts";
import { conditionsOf, withTransitionTimes } from "./conditions.ts";

/**
 * The status of a `DNSRecord` that is being deleted: the former status with the progress of the withdrawal. Its parts
 * from the edge must stay, since a replica that takes over learns from them that the edge holds the record.
 */
export function deletionStatus(object: KubeObject, withdrawn: Condition, nowMs: number): DnsRecordStatus {
  const before = conditionsOf(object.status);
  const ready: Condition = { type: "Ready", status: "False", reason: "Deleted", message: "It is being deleted." };
  const changed = withTransitionTimes([ready, withdrawn], before, nowMs);
  const others = before.filter(({ type }) => !changed.some((one) => one.type === type));
  const known: Partial<DnsRecordStatus> = dnsRecordStatus.safeParse(object.status).data ?? {};
  return { ...known, conditions: [...others, ...changed] };
}
