import type { KubeObject } from "../kubernetes/object.ts";

/** Whether a change of a DNSRecord is one of what it says, and not only of its status, labels or annotations. */
export function isTold(before: KubeObject | undefined, after: KubeObject | undefined): boolean {
  return told(before) !== told(after);
}

function told(record: KubeObject | undefined): string {
  if (record === undefined) return "";
  const { uid, generation, deletionTimestamp, finalizers } = record.metadata;
  return JSON.stringify([uid, generation, deletionTimestamp, finalizers]);
}
