import type { Condition } from "../../shared/model/condition.ts";
import type { ClusterEvent } from "../rpc.ts";

const EVENT_OF: Readonly<Record<string, ClusterEvent["type"]>> = {
  DuplicateAgent: "DuplicateAgent",
  RecordsAccepted: "RecordRefused",
};

/** What a snapshot has brought about that belongs in the event log: conditions that are new, or say something else now. */
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
