import type { TestProject } from "vitest/node";
import type { TlsPeers } from "./servers.ts";
import { startTlsPeers } from "./servers.ts";

declare module "vitest" {
  export interface ProvidedContext {
    tlsPeers: TlsPeers;
  }
}

/** Starts the TLS servers for tests in workerd, which cannot listen themselves. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { ports, close } = await startTlsPeers();
  project.provide("tlsPeers", ports);
  return close;
}
