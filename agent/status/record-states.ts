import { acceptedBefore, inForce, statedAccepted } from "../plan/accepted-specs.ts";
import type { HostsPlan } from "../plan/plan-hosts.ts";
import type { OwnRecord } from "../sources/manifest-file.ts";

import { contactCondition } from "./conditions.ts";
import { recordStatus } from "./record-status.ts";
import type { RecordState, State } from "./state.ts";

export interface About {
  cluster: string;
  contact: "Heard" | "Awaited" | "Silent";
  edgeStaleAfterMs: number;
  nowMs: number;
}

/**
 * The entries of all records: status, manifest and what the edge said of it. Records that are gone are not among them.
 */
export function recordStates(
  records: readonly OwnRecord[],
  before: State["records"],
  plan: HostsPlan,
  about: About,
): State["records"] {
  return Object.fromEntries(
    records.map((record) => [record.key, recordState(record, before[record.key], plan, about)]),
  );
}

function recordState(record: OwnRecord, before: RecordState | undefined, plan: HostsPlan, about: About): RecordState {
  const standing = inForce(record, before) ?? record;
  const { rootHost } = standing.spec;
  const host = plan.hosts[rootHost];
  const basis = plan.bases.get(rootHost);
  const status = recordStatus({
    cluster: about.cluster,
    record: standing,
    before: before?.status,
    delivered: host?.delivered,
    published: host?.served,
    accepted: statedAccepted(record, before),
    edgeReachable: contactCondition(about.contact, about.edgeStaleAfterMs, basis),
    nowMs: about.nowMs,
  });
  return { status, manifest: { ...originOf(record), spec: record.specInput }, ...acceptedBefore(record, before) };
}

function originOf({ file, line, uid, generation, createdAt }: OwnRecord): Omit<RecordState["manifest"], "spec"> {
  return {
    ...(file !== undefined && { file }),
    ...(line !== undefined && { line }),
    ...(uid !== undefined && { uid }),
    ...(generation !== undefined && { generation }),
    ...(createdAt !== undefined && { createdAt }),
  };
}
