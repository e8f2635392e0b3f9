import type { TestProject } from "vitest/node";
import { externalDnsBinary } from "./binaries.ts";
import type { ClusterAccess } from "./cluster.ts";
import { startControlPlane } from "./control-plane.ts";
import { installCrds } from "./crds.ts";

declare module "vitest" {
  export interface ProvidedContext {
    cluster: ClusterAccess;
  }
}

/**
 * Starts the control plane that the test files share, with all definitions installed. What Go has to build is built here, where
 * no test's time limit counts.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await externalDnsBinary();
  const plane = await startControlPlane();
  await installCrds(plane);
  project.provide("cluster", plane.access);
  return () => plane.stop();
}
