import type { ClusterView } from "../../shared/model/cluster.ts";
import type { ClusterHealth } from "../../shared/model/overview.ts";
import { compareNumbers, NO_NUMBER, parseNumber } from "../../shared/number.ts";
import { clusterOf, type Env } from "../env.ts";
import { callWithRetry, errorMessage } from "../retry.ts";
import { withTimeout } from "../timeout.ts";

/** A slower cluster object is shown as unavailable, so that it does not delay the response. */
const CLUSTER_LIMIT_MS = 2_000;

/**
 * Reads the health of a cluster from its object. `silent`: the object does not answer. `removed`: no such cluster is
 * registered.
 */
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

/** The health of a cluster without its webhook URL and its binding. Viewers may see it. */
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

/** The health of a cluster whose object does not answer. */
export function unknownHealth(cluster: string): ClusterHealth {
  const message = "The cluster's object in the edge does not answer. The last delivery stays in force. Try again.";
  return {
    cluster,
    records: 0,
    reachable: false,
    failures: 0,
    backlog: false,
    conditions: [{ type: "Answers", reason: "ObjectUnavailable", message }],
  };
}
