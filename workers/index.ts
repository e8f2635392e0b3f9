import { createApp, serve } from "./api/app.ts";
import { clusterOf, coordinatorOf, type Env, notifierOf } from "./env.ts";
import { readSettings } from "./settings.ts";

export { Cluster } from "./cluster/cluster.ts";
export { Coordinator } from "./coordinator/coordinator.ts";
export { Notifier } from "./notifier/notifier.ts";
export { Prober } from "./prober/prober.ts";
export { SuspectDialler } from "./prober/suspect-dialler.ts";
export { SelfTestEcho } from "./self-test/echo.ts";
export { SelfTest } from "./self-test/self-test.ts";

const app = createApp();

export default {
  fetch: (request, env, ctx) => serve(app, request, env, ctx),

  /**
   * Each minute: the heartbeat that needs no memory. It calls what is there, and creates nothing but coordinators, and a
   * notifier where somebody is to be told.
   */
  async scheduled(_controller, env, _ctx): Promise<void> {
    const { PARTITIONS, NOTIFICATIONS, faults } = readSettings(env);
    for (const { text } of faults) console.error(`A setting is wrong, and the edge goes on without it: ${text}.`);
    const partitions = Array.from({ length: PARTITIONS }, (_, partition) => partition);
    await Promise.all([
      ...partitions.map((partition) => beatCoordinator(env, partition)),
      beatClusters(env),
      ...(NOTIFICATIONS.length > 0 ? [beatNotifier(env)] : []),
    ]);
  },
} satisfies ExportedHandler<Env>;

async function beatCoordinator(env: Env, partition: number): Promise<void> {
  try {
    await coordinatorOf(env, partition).heartbeat();
  } catch (error) {
    console.error(`The heartbeat of partition ${partition} failed:`, error);
  }
}

/** A cluster that lost its alarm would neither hear from its coordinators nor deliver, and nobody else would notice. */
async function beatClusters(env: Env): Promise<void> {
  try {
    const clusters = await coordinatorOf(env, 0).listClusters();
    const beats = await Promise.allSettled(clusters.map((cluster) => clusterOf(env, cluster).heartbeat()));
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
