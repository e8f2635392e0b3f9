import { join } from "node:path";
import { type Child, type ChildHooks, startChild } from "./child.ts";

/** How the edge is to run on this machine. */
export type EdgePlan = {
  config: string;
  host: string;
  port: number;
  /** Folder of the objects' storage. */
  state: string;
  /** Settings of the Worker, by the names of workers/settings.ts. */
  settings: Record<string, string>;
};

/** Starts the edge in a child process; ready when it serves. The port must be free: see ports.ts. */
export function startEdge(plan: EdgePlan, hooks: ChildHooks): Promise<Child> {
  return startChild({
    script: join(import.meta.dirname, "edge-process.ts"),
    env: {
      PATH: process.env.PATH ?? "",
      HOME: process.env.HOME ?? "",
      EDGE_PLAN: JSON.stringify(plan),
      // Nothing of this needs the internet, and nothing is written outside the state folder.
      CLOUDFLARE_CF_FETCH_ENABLED: "false",
      WRANGLER_SEND_METRICS: "false",
      WRANGLER_SEND_ERROR_REPORTS: "false",
      WRANGLER_LOG: "none",
      WRANGLER_LOG_PATH: join(plan.state, "..", "wrangler.log"),
      XDG_CONFIG_HOME: join(plan.state, "..", "wrangler"),
    },
    hooks,
  });
}
