import { DNS_RECORD } from "./kinds.ts";
import type { OwnerReference } from "./object.ts";

/** What goes with the record. Undefined for a record that has no identity: one of a file. */
export function ownedBy({ name, uid }: { name: string; uid?: string }): OwnerReference | undefined {
  if (uid === undefined) return undefined;
  return { apiVersion: DNS_RECORD.apiVersion, kind: DNS_RECORD.kind, name, uid, controller: true };
}
