import { join } from "node:path";
import { type Child, type ChildHooks, startChild } from "./child.ts";
import type { Ports } from "./options.ts";
import { CLUSTER } from "./register.ts";

/** How the agent is to run on this machine. */
type AgentPlan = {
  host: string;
  ports: Ports;
  edgeUrl: string;
  secret: string;
  records: string;
  /** State file. */
  state: string;
  edgeStaleAfterMs: number;
};

/** Starts the agent in a child process, set up by its environment as anywhere else; ready when it serves. */
export function startAgent(plan: AgentPlan, hooks: ChildHooks): Promise<Child> {
  return startChild({
    script: join(import.meta.dirname, "agent-process.ts"),
    env: {
      PATH: process.env.PATH ?? "",
      VEDETTE_RECORDS: plan.records,
      VEDETTE_EDGE_URL: plan.edgeUrl,
      VEDETTE_CLUSTER: CLUSTER,
      VEDETTE_SECRET: plan.secret,
      VEDETTE_STATE: plan.state,
      VEDETTE_WEBHOOK_ADDRESS: plan.host,
      VEDETTE_WEBHOOK_PORT: `${plan.ports.agent}`,
      VEDETTE_DNS_ADDRESS: plan.host,
      VEDETTE_DNS_PORT: `${plan.ports.dns}`,
      VEDETTE_EDGE_STALE_AFTER: `${plan.edgeStaleAfterMs}ms`,
    },
    hooks,
  });
}
