import { inject } from "vitest";
import { Cluster } from "./cluster.ts";

/**
 * The control plane that this file has to itself while it runs. Other files used it before. Our definitions, Gateway API's and
 * external-dns' are installed. Use a namespace of your own (`freshNamespace`); to stop or halt a server, start a control plane of
 * your own (`startControlPlane`).
 */
export function sharedCluster(): Cluster {
  const clusters = inject("clusters");
  const access = clusters[(Number(process.env.VITEST_POOL_ID) - 1) % clusters.length];
  if (access === undefined) throw new Error("there is no control plane for this worker");
  return new Cluster(access);
}
