import type { Condition } from "../../shared/model/condition.ts";
import type { Desired, Wanted, WantedStatus } from "../apply/desired.ts";
import { DNS_HEALTH_CHECK_PROBE, DNS_RECORD } from "../kubernetes/kinds.ts";
import { type KubeObject, MANAGED_BY_US, type ObjectRef, refKey } from "../kubernetes/object.ts";
import { inForce } from "../plan/accepted-specs.ts";
import type { RefusedRecord } from "../sources/api-records.ts";
import type { OwnRecord } from "../sources/manifest-file.ts";

import { probeObjects } from "./probe-object.ts";
import { inactiveRecordStatus, recordObjectStatus } from "./record-object.ts";
import type { State } from "./state.ts";

export interface DesiredObjectsInput {
  /** The core's, settled with these records. */
  state: State;
  records: readonly OwnRecord[];
  refused: readonly RefusedRecord[];
  recordAt: (ref: ObjectRef) => KubeObject | undefined;
  probeAt: (ref: ObjectRef) => KubeObject | undefined;
  /** Conditions of a record (by `namespace/name`) that the core does not know, such as `PublisherConflict`. */
  extraOf: (key: string) => readonly Condition[];
  /** Whether exact counts are due, as check times are: else those beyond a threshold stand as they were shown. */
  refreshTimes: boolean;
  nowMs: number;
}

/**
 * Everything that is shown of the records and their probes. What is in DNS does not depend on it, but a restart does.
 */
export function desiredObjects(input: DesiredObjectsInput): Desired {
  const wanted = [
    ...input.records.flatMap((record) => ofRecord(record, input)),
    ...input.refused.flatMap(({ object, refusal }) => ofRefused(object, refusal, input)),
  ];
  return { wanted, scopes: [{ kind: DNS_HEALTH_CHECK_PROBE, labels: MANAGED_BY_US }] };
}

function ofRecord(record: OwnRecord, input: DesiredObjectsInput): Wanted[] {
  const { state, recordAt, probeAt, extraOf, refreshTimes, nowMs } = input;
  const known = state.records[record.key];
  if (known === undefined || record.uid === undefined) return [];
  const { cluster } = state.edge;
  const standing = inForce(record, known);
  const host = state.hosts[(standing ?? record).spec.rootHost];
  const object = recordAt(record);
  const extra = extraOf(record.key);
  const status = recordObjectStatus({ record, state: known, host, cluster, extra, object, refreshTimes, nowMs });
  const delivered = host?.delivered;
  const probes =
    standing && probeObjects({ record: standing, delivered, cluster, objectAt: probeAt, refreshTimes, nowMs });
  return [wantedStatus(record, record.uid, status), ...(probes ?? [])];
}

function ofRefused(object: KubeObject, refusal: string, { extraOf, nowMs }: DesiredObjectsInput): Wanted[] {
  const { metadata } = object;
  if (metadata.uid === undefined) return [];
  const conditions: Condition[] = [
    { type: "Accepted", status: "False", reason: "Invalid", message: refusal },
    { type: "Ready", status: "False", reason: "NotAccepted", message: "Nothing of it is published: mend the spec." },
    ...extraOf(refKey(metadata)),
  ];
  return [wantedStatus(metadata, metadata.uid, inactiveRecordStatus(object, conditions, nowMs))];
}

function wantedStatus({ name, namespace }: ObjectRef, uid: string, status: object): WantedStatus {
  const ref = { name, ...(namespace !== undefined && { namespace }), uid };
  return { type: "Status", kind: DNS_RECORD, ref, status };
}
