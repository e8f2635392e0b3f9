import type { Shard } from "../shared/model/messages/assignment.ts";
import type { ClusterRpc, CoordinatorRpc, NotifierRpc, ProberRpc } from "./rpc.ts";

/** Bindings and settings of the Worker. Only `settings.ts` reads the settings. */
export interface Env {
  PROBER: DurableObjectNamespace;
  COORDINATOR: DurableObjectNamespace;
  CLUSTER: DurableObjectNamespace;
  NOTIFIER: DurableObjectNamespace;
  [setting: string]: unknown;
}

/*
 * Stubs are typed by the RPC interfaces, since the mapped types of the platform lose `unknown` fields. Each call
 * creates a new stub, since a stub that has thrown stays broken.
 */

export function coordinatorOf(env: Env, partition: number): CoordinatorRpc {
  return env.COORDINATOR.getByName(`${partition}`) as unknown as CoordinatorRpc;
}

export function clusterOf(env: Env, cluster: string): ClusterRpc {
  return env.CLUSTER.getByName(cluster) as unknown as ClusterRpc;
}

/** The name of a shard's prober. */
export const proberName = ({
  region,
  partition,
  intervalMs,
  n,
}: Pick<Shard, "region" | "partition" | "intervalMs" | "n">) => `${region}/${partition}/${intervalMs}/${n}`;

/**
 * The first `get` of an object decides its location. Only the coordinator may call this for the probers of shards
 * that it has not reached yet. Only the route of checks may call it for the probers of one-off checks
 * (`<region>/check`).
 */
export function proberOf(env: Env, name: string, locationHint: DurableObjectLocationHint): ProberRpc {
  return env.PROBER.getByName(name, { locationHint }) as unknown as ProberRpc;
}

/** The one notifier of all partitions. */
export function notifierOf(env: Env): NotifierRpc {
  return env.NOTIFIER.getByName("notifier") as unknown as NotifierRpc;
}
