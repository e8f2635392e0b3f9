import type { TestProject } from "vitest/node";
import type { Fleet } from "./fleet.ts";
import { startFleet } from "./fleet.ts";

declare module "vitest" {
  export interface ProvidedContext {
    gateways: Fleet["ports"];
  }
}

/** Starts every gateway once for all tests in workerd, which cannot listen themselves. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const fleet = await startFleet();
  project.provide("gateways", fleet.ports);
  return fleet.close;
}
