import type { AgentHooks } from "../agent.ts";
import type { Log } from "../log.ts";
import type { AgentMetrics } from "../metrics/metrics.ts";
import type { Zones } from "../publish/dns/respond.ts";
import type { Settings } from "../settings-schema.ts";
import type { Caches } from "./caches.ts";
import type { Unstored } from "./unstored.ts";
import type { TermClient } from "./while-leading.ts";

/** What a leader's work needs of its replica. */
export interface TermOptions {
  settings: Settings;
  hooks: AgentHooks;
  /** Of the agent's Leases. */
  namespace: string;
  /** Which replica this is. */
  identity: string;
  client: TermClient;
  caches: Caches;
  metrics: AgentMetrics;
  /** Takes what the embedded DNS server is to answer. */
  serve: (zones: Zones) => void;
  isLeader: () => boolean;
  /** What reached this replica and could not be stored. */
  unstored: Unstored;
  log: Log;
}
