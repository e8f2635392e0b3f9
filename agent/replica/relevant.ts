import type { KubeObject } from "../kubernetes/object.ts";

/** Whether a change of a DNSRecord is one of what people say of it, and not only of its status: that is our own writing. */
export function isSpecChange(before: KubeObject | undefined, after: KubeObject | undefined): boolean {
  return told(before) !== told(after);
}

function told(record: KubeObject | undefined): string {
  if (record === undefined) return "";
  const { uid, generation, deletionTimestamp, finalizers, labels, annotations, ownerReferences } = record.metadata;
  return JSON.stringify([uid, generation, deletionTimestamp, finalizers, labels, annotations, ownerReferences]);
}
