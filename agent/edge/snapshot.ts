import type { SnapshotRecordInput } from "../../shared/model/messages/snapshot.ts";
import type { RecordSpecInput } from "../../shared/model/record.ts";
import type { OwnRecord } from "../sources/manifest-file.ts";
import type { State } from "../status/state.ts";

/** The lines of a snapshot: each record as its manifest gave it, with all that its root host has in DNS now. */
export function snapshotRecords(records: readonly OwnRecord[], hosts: State["hosts"]): SnapshotRecordInput[] {
  return records.map((record) => ({
    namespace: record.namespace,
    name: record.name,
    ...(record.uid !== undefined && { uid: record.uid }),
    ...(record.generation !== undefined && { generation: record.generation }),
    spec: record.specInput as RecordSpecInput,
    published: hosts[record.spec.rootHost]?.served ?? [],
    ...(record.headers !== undefined && { headers: record.headers }),
    ...(record.headersProblem !== undefined && { headersProblem: record.headersProblem }),
  }));
}
