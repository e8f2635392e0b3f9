import type { Condition } from "../../shared/model/condition.ts";
import type { WholeDelivery } from "../../shared/model/messages/delivery.ts";
import type { SnapshotReceipt } from "../../shared/model/messages/snapshot.ts";
import type { RecordConditions } from "./coordinators.ts";
import type { ClusterStore } from "./store.ts";
import { snapshotTag } from "./take-snapshot.ts";
import { ACCEPTED, type ValidatedLine } from "./validate-lines.ts";
import { clusterConditions } from "./view.ts";

/** The answer to a snapshot that was taken: what became of each line, by the cluster and by the coordinators. */
export function receiptOf(
  store: ClusterStore,
  lines: readonly ValidatedLine[],
  fresh: RecordConditions,
  delivery: WholeDelivery,
  nowMs: number,
): SnapshotReceipt {
  const resting = restingByKey(store);
  const decided = decidedByKey(store);
  const records = lines.map((line): SnapshotReceipt["records"][number] => {
    if (line.key === undefined) return { line: line.line, conditions: ownConditions(line, undefined) };
    const theirs = fresh.get(line.key) ?? decided.get(line.key) ?? [];
    const conditions = joined(ownConditions(line, resting.get(line.key)), theirs);
    return { line: line.line, record: line.key, conditions };
  });
  const conditions = clusterConditions(store, nowMs);
  return { version: 1, etag: snapshotTag(store) ?? "", records, conditions, delivery };
}

function ownConditions(line: ValidatedLine, resting: Condition | undefined): Condition[] {
  if ("refused" in line) return [line.refused];
  return resting === undefined ? [ACCEPTED] : [ACCEPTED, resting];
}

/** The coordinator's word replaces ours of the same type, unless ours says that it was never given the record. */
function joined(own: readonly Condition[], theirs: readonly Condition[]): Condition[] {
  const refused = own.filter(({ status }) => status === "False");
  const kept = theirs.filter(({ type }) => !refused.some((condition) => condition.type === type));
  return [...own.filter(({ type }) => !kept.some((condition) => condition.type === type)), ...kept];
}

function restingByKey(store: ClusterStore): Map<string, Condition> {
  const records = [...store.records.all()];
  return new Map(records.flatMap(([key, { share }]) => (share.resting ? [[key, share.resting]] : [])));
}

/** What the newest decisions say of the cluster's own shares. */
function decidedByKey(store: ClusterStore): Map<string, readonly Condition[]> {
  const { cluster } = store.identity.get();
  const shares = store.decisions.all().flatMap((record) => record.shares);
  const own = shares.filter((share) => share.cluster === cluster);
  return new Map(own.map((share) => [share.record, share.conditions]));
}
