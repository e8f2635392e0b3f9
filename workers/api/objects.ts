import { clusterName } from "../../shared/model/cluster.ts";
import { clusterOf, coordinatorOf } from "../env.ts";
import { callWithRetry, errorMessage } from "../retry.ts";
import type { ClusterRpc, CoordinatorRpc } from "../rpc.ts";
import { within } from "../within.ts";
import { fail } from "./answers.ts";
import type { ApiContext } from "./route.ts";

const READ_LIMIT_MS = 10_000;

/** Asks the coordinator of one partition, or of the first where any will do. */
export async function askCoordinator<Value>(
  context: ApiContext,
  partition: number,
  question: (coordinator: CoordinatorRpc) => Promise<Value>,
): Promise<Value> {
  const call = () => question(coordinatorOf(context.env, partition));
  try {
    return await within(callWithRetry(call), READ_LIMIT_MS);
  } catch (error) {
    console.error(`The coordinator of partition ${partition} does not answer: ${errorMessage(error)}`);
    return fail("CoordinatorUnavailable", "Nothing was changed. Try again.");
  }
}

/** Asks every coordinator; the answers are in the order of the partitions. */
export async function askAllCoordinators<Value>(
  context: ApiContext,
  question: (coordinator: CoordinatorRpc) => Promise<Value>,
): Promise<Value[]> {
  const partitions = Array.from({ length: context.get("settings").PARTITIONS }, (_, partition) => partition);
  return Promise.all(partitions.map((partition) => askCoordinator(context, partition, question)));
}

/** The cluster that the route names. A name that no cluster can have is answered here, and makes no object. */
export function namedCluster(context: ApiContext): ClusterRpc {
  const name = clusterName.safeParse(context.req.param("cluster"));
  return name.success ? clusterOf(context.env, name.data) : fail("ClusterUnknown");
}
