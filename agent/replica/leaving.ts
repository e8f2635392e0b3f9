import type { Condition } from "../../shared/model/condition.ts";
import type { Wanted } from "../apply/desired.ts";
import { DNS_RECORD } from "../kubernetes/kinds.ts";
import type { KubeObject } from "../kubernetes/object.ts";
import { deletionStatus } from "../status/deletion-status.ts";

/** What is said of the records that are being deleted and wait, to tell whether it is another thing. */
export const toldOf = (leaving: readonly [KubeObject, Condition][]) =>
  JSON.stringify(leaving.map(([{ metadata }, condition]) => [metadata.uid, condition]));

/** The status of such a record. */
export function leavingStatus(object: KubeObject, condition: Condition): Wanted {
  const { name, namespace, uid = "" } = object.metadata;
  const ref = { name, ...(namespace !== undefined && { namespace }), uid };
  return { type: "Status", kind: DNS_RECORD, ref, status: deletionStatus(object, condition, Date.now()) };
}
