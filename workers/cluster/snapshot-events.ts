import type { Condition } from "../../shared/model/condition.ts";
import type { ClusterEvent } from "../rpc.ts";

const EVENT_OF: Readonly<Record<string, ClusterEvent["type"]>> = {
  DuplicateAgent: "DuplicateAgent",
  RecordsAccepted: "RecordRefused",
};

/** Returns the events of a snapshot: conditions that are new or changed. */
export function snapshotEvents(
  cluster: string,
  before: readonly Condition[],
  after: readonly Condition[],
): ClusterEvent[] {
  const known = new Set(before.map(({ type, message }) => `${type} ${message}`));
  return after.flatMap(({ type: conditionType, message }) => {
    const type = EVENT_OF[conditionType];
    return type === undefined || known.has(`${conditionType} ${message}`) ? [] : [{ type, cluster, message }];
  });
}
