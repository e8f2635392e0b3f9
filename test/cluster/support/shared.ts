import { inject } from "vitest";
import { Cluster } from "./cluster.ts";

/**
 * The control plane that all test files share, with our definitions, Gateway API's and external-dns' installed. Use a namespace
 * of your own (`freshNamespace`); to stop or halt a server, start a control plane of your own (`startControlPlane`).
 */
export function sharedCluster(): Cluster {
  return new Cluster(inject("cluster"));
}
