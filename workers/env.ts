import type { Shard } from "../shared/model/messages/assignment.ts";
import type { ClusterRpc, CoordinatorRpc, NotifierRpc, ProberRpc } from "./rpc.ts";

/** Bindings and settings of the Worker. The settings are read by `settings.ts` and nowhere else. */
export interface Env {
  PROBER: DurableObjectNamespace;
  COORDINATOR: DurableObjectNamespace;
  CLUSTER: DurableObjectNamespace;
  NOTIFIER: DurableObjectNamespace;
  [setting: string]: unknown;
}

/*
 * A stub is the interface of its object and nothing more: the mapped types of the platform lose `unknown` fields.
 * Each call makes a fresh stub, since one that has thrown stays broken.
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
 * The first `get` of an object decides where it lives. So only the coordinator may call this for the probers of shards that it
 * has not reached yet. For probers that check once (`<region>/check`), only the route of checks may.
 */
export function proberOf(env: Env, name: string, locationHint: DurableObjectLocationHint): ProberRpc {
  return env.PROBER.getByName(name, { locationHint }) as unknown as ProberRpc;
}

/** There is one, for all partitions. */
export function notifierOf(env: Env): NotifierRpc {
  return env.NOTIFIER.getByName("notifier") as unknown as NotifierRpc;
}
