import type { ClusterView } from "../../shared/model/cluster.ts";
import type { ClusterHealth } from "../../shared/model/overview.ts";
import { compareNumbers, NO_NUMBER, parseNumber } from "../../shared/number.ts";

/** How a cluster does, for those who may see it but not reach it: its address and what it is bound to are left out. */
export function clusterHealth(view: ClusterView): ClusterHealth {
  const { cluster, records, failures, lastFailure, lastSnapshotAt, lastDeliveryAt } = view;
  const decided = parseNumber(view.decided ?? "") ?? NO_NUMBER;
  const acknowledged = parseNumber(view.acknowledged ?? "") ?? NO_NUMBER;
  return {
    cluster,
    records,
    reachable: failures === 0,
    failures,
    ...(lastFailure !== undefined && { lastFailure }),
    backlog: decided.n > 0 && compareNumbers(acknowledged, decided) < 0,
    ...(lastSnapshotAt !== undefined && { lastSnapshotAt }),
    ...(lastDeliveryAt !== undefined && { lastDeliveryAt }),
    conditions: view.conditions.map(({ type, reason, message }) => ({ type, reason, message })),
  };
}

/** A cluster whose object does not answer the edge: nothing is known of it just now. */
export function unknownHealth(cluster: string): ClusterHealth {
  const message = "The edge's own object of the cluster does not answer. What was delivered stays in force; try again.";
  return {
    cluster,
    records: 0,
    reachable: false,
    failures: 0,
    backlog: false,
    conditions: [{ type: "Answers", reason: "ObjectUnavailable", message }],
  };
}
