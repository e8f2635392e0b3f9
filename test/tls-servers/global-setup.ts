import type { TestProject } from "vitest/node";
import { INSTALL } from "./case.ts";
import { type LiveServers, serveServers } from "./servers.ts";

declare module "vitest" {
  export interface ProvidedContext {
    liveServers: LiveServers;
  }
}

/** Starts what starts TLS servers for the tests in workerd, and says which of them cannot take part. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { told, close } = await serveServers();
  project.provide("liveServers", told);
  if (process.env.VEDETTE_ALL_SERVERS !== undefined && told.missing.length > 0) {
    await close();
    throw new Error(`These TLS servers have to be installed here: ${told.missing.join(", ")}.`);
  }
  for (const name of told.missing) {
    if (name === "Node") continue;
    console.warn(`${name} is not installed: the handshakes with it are NOT tested. ${INSTALL[name].command}`);
  }
  return close;
}
