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

/** Calls the coordinator of one partition. Callers use partition 0 if any coordinator will do. */
export async function askCoordinator<Value>(
  context: ApiContext,
  partition: number,
  call: (coordinator: CoordinatorRpc) => Promise<Value>,
): Promise<Value> {
  const callCoordinator = () => call(coordinatorOf(context.env, partition));
  try {
    return await withTimeout(callWithRetry(callCoordinator), READ_LIMIT_MS);
  } catch (error) {
    console.error(`The coordinator of partition ${partition} does not answer: ${errorMessage(error)}`);
    return fail("CoordinatorUnavailable", "Nothing was changed. Try again.");
  }
}

/** Calls every coordinator. The results are in the order of the partitions. */
export async function askAllCoordinators<Value>(
  context: ApiContext,
  call: (coordinator: CoordinatorRpc) => Promise<Value>,
): Promise<Value[]> {
  const partitions = Array.from({ length: context.get("settings").PARTITIONS }, (_, partition) => partition);
  return Promise.all(partitions.map((partition) => askCoordinator(context, partition, call)));
}

/**
 * Calls the coordinator of the record in the route. `call` returns undefined if the coordinator does not have the
 * record.
 */
export async function askForRecord<Value>(
  context: ApiContext,
  call: (coordinator: CoordinatorRpc, rootHost: string) => Promise<Value | undefined>,
): Promise<Value> {
  const result = canonicalHost(context.req.param("host") ?? "", true);
  if (!("host" in result)) return fail("RecordUnknown", `The host ${result.rule}.`);
  const partition = hash32(result.host) % context.get("settings").PARTITIONS;
  const callOne = (coordinator: CoordinatorRpc) => call(coordinator, result.host);
  const answer = await askCoordinator(context, partition, callOne);
  if (answer !== undefined) return answer;
  // After a change of PARTITIONS, records stay in the partition that they had at installation.
  const found = await askAllCoordinators(context, callOne);
  return found.find((one) => one !== undefined) ?? fail("RecordUnknown");
}

/** The cluster object of the route. An invalid name fails here and creates no object. */
export function namedCluster(context: ApiContext): ClusterRpc {
  const name = clusterName.safeParse(context.req.param("cluster"));
  return name.success ? clusterOf(context.env, name.data) : fail("ClusterUnknown");
}
