import { NO_USAGE, type Usage } from "../shared/model/usage.ts";
import { sumOf } from "../shared/usage/tally.ts";
import { createApp, serve } from "./api/app.ts";
import { clusterOf, coordinatorOf, type Env, notifierOf } from "./env.ts";
import { readSettings } from "./settings.ts";
import { withTimeout } from "./timeout.ts";

export { Cluster } from "./cluster/cluster.ts";
export { CoordinatorObject as Coordinator } from "./coordinator/durable-object.ts";
export { Notifier } from "./notifier/notifier.ts";
export { LoopbackDialer } from "./prober/dial/loopback-dialer.ts";
export { Prober } from "./prober/prober.ts";

/**
 * A cluster that hangs does not delay the coordinator for longer. Its usage is then counted with its next contact, or
 * lost.
 */
const CLUSTERS_WAIT_MS = 2_000;

const app = createApp();

export default {
  fetch: (request, env, ctx) => serve(app, request, env, ctx),

  /**
   * Each minute: the heartbeat, which needs no memory. It calls existing objects. It creates only coordinators, and a
   * notifier if notifications are configured.
   */
  async scheduled(_controller, env, _ctx): Promise<void> {
    const { PARTITIONS, NOTIFICATIONS, faults } = readSettings(env);
    for (const { text } of faults) console.error(`A setting is invalid, and the edge continues without it: ${text}.`);
    const others = Array.from({ length: PARTITIONS - 1 }, (_, before) => before + 1);
    await Promise.all([
      beatFirst(env),
      ...others.map((partition) => beatCoordinator(env, partition)),
      ...(NOTIFICATIONS.length > 0 ? [beatNotifier(env)] : []),
    ]);
  },
} satisfies ExportedHandler<Env>;

/**
 * The first coordinator counts the usage of all clusters. Its heartbeat comes last, since it stores that usage, and
 * comes even if the clusters fail.
 */
async function beatFirst(env: Env): Promise<void> {
  const told: Usage[] = [];
  const beating = beatClusters(env, (used) => told.push(used));
  await withTimeout(beating, CLUSTERS_WAIT_MS).catch(() => undefined);
  await Promise.all([beating, beatCoordinator(env, 0, sumOf(told))]);
}

async function beatCoordinator(env: Env, partition: number, clusters?: Usage): Promise<void> {
  try {
    await coordinatorOf(env, partition).heartbeat(clusters);
  } catch (error) {
    console.error(`The heartbeat of partition ${partition} failed:`, error);
  }
}

/**
 * A cluster that lost its alarm would neither contact its coordinators nor deliver, and nothing else would notice.
 * Each cluster returns the usage of its object. Never throws.
 */
async function beatClusters(env: Env, onUsed: (used: Usage) => void): Promise<void> {
  try {
    const clusters = await coordinatorOf(env, 0).listClusters();
    const beat = async (cluster: string) => onUsed((await clusterOf(env, cluster).heartbeat()) ?? NO_USAGE);
    const beats = await Promise.allSettled(clusters.map(beat));
    const failed = beats.filter(({ status }) => status === "rejected").length;
    if (failed > 0) console.error(`The heartbeat of ${failed} of ${clusters.length} clusters failed.`);
  } catch (error) {
    console.error("The heartbeat of the clusters failed:", error);
  }
}

async function beatNotifier(env: Env): Promise<void> {
  try {
    await notifierOf(env).heartbeat();
  } catch (error) {
    console.error("The heartbeat of the notifier failed:", error);
  }
}
