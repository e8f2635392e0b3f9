import type { TestProject } from "vitest/node";
import type { ClusterAccess } from "./cluster.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { installCrds } from "./crds.ts";

declare module "vitest" {
  export interface ProvidedContext {
    clusters: readonly ClusterAccess[];
  }
}

/**
 * Starts the control planes that the test files share, with all definitions installed. Each file that runs at a time needs one,
 * since an agent works on everything in its API server.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const planes: ControlPlane[] = [];
  for (let worker = 0; worker < project.config.maxWorkers; worker++) {
    const plane = await startControlPlane();
    await installCrds(plane);
    planes.push(plane);
  }
  project.provide(
    "clusters",
    planes.map(({ access }) => access),
  );
  return async () => {
    await Promise.all(planes.map((plane) => plane.stop()));
  };
}
