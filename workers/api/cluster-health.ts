import type { ClusterView } from "../../shared/model/cluster.ts";
import type { ClusterHealth } from "../../shared/model/overview.ts";
import { compareNumbers, NO_NUMBER, parseNumber } from "../../shared/number.ts";
import { clusterOf, type Env } from "../env.ts";
import { callWithRetry, errorMessage } from "../retry.ts";
import { withTimeout } from "../timeout.ts";

/** A cluster object that takes longer is shown as one that does not answer: nobody waits for it. */
const CLUSTER_LIMIT_MS = 2_000;

/** How a cluster does by its own object: `silent` where that does not answer, `removed` where it knows of no cluster. */
export async function askHealth(env: Env, cluster: string): Promise<ClusterHealth | "silent" | "removed"> {
  try {
    const view = await withTimeout(
      callWithRetry(() => clusterOf(env, cluster).describe()),
      CLUSTER_LIMIT_MS,
    );
    return view === undefined ? "removed" : clusterHealth(view);
  } catch (error) {
    console.error(`Cluster ${cluster} does not answer: ${errorMessage(error)}`);
    return "silent";
  }
}

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

/** A cluster whose object does not answer: its current state is unknown. */
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
