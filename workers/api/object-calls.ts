import { hash32 } from "../../shared/hash.ts";
import { clusterName } from "../../shared/model/cluster.ts";
import { canonicalHost } from "../../shared/model/host.ts";
import { clusterOf, coordinatorOf } from "../env.ts";
import { callWithRetry, errorMessage } from "../retry.ts";
import type { ClusterRpc, CoordinatorRpc } from "../rpc.ts";
import { withTimeout } from "../timeout.ts";
import { fail } from "./responses.ts";
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
    return await withTimeout(callWithRetry(call), READ_LIMIT_MS);
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

/** Asks for the record that the route names; `ask` answers undefined where it is not. */
export async function askForRecord<Value>(
  context: ApiContext,
  ask: (coordinator: CoordinatorRpc, rootHost: string) => Promise<Value | undefined>,
): Promise<Value> {
  const result = canonicalHost(context.req.param("host") ?? "", true);
  if (!("host" in result)) return fail("RecordUnknown", `The host ${result.rule}.`);
  const partition = hash32(result.host) % context.get("settings").PARTITIONS;
  const askOne = (coordinator: CoordinatorRpc) => ask(coordinator, result.host);
  const answer = await askCoordinator(context, partition, askOne);
  if (answer !== undefined) return answer;
  // Records stay where they were at install, should PARTITIONS have been changed.
  const found = await askAllCoordinators(context, askOne);
  return found.find((one) => one !== undefined) ?? fail("RecordUnknown");
}

/** The cluster that the route names. A name that no cluster can have is answered here, and makes no object. */
export function namedCluster(context: ApiContext): ClusterRpc {
  const name = clusterName.safeParse(context.req.param("cluster"));
  return name.success ? clusterOf(context.env, name.data) : fail("ClusterUnknown");
}
