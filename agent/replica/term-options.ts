import type { AgentHooks } from "../agent.ts";
import type { AgentMetrics } from "../metrics/metrics.ts";
import type { Zones } from "../publish/dns-server/respond.ts";
import type { Log } from "../runtime/log.ts";
import type { Settings } from "../runtime/settings-schema.ts";
import type { Informers } from "./informers.ts";
import type { LeaderClient } from "./leader-guarded-client.ts";
import type { PendingDecisions } from "./pending-decisions.ts";

/** What a leader's work needs of its replica. */
export interface LeaderSessionOptions {
  settings: Settings;
  hooks: AgentHooks;
  /** Of the agent's Leases. */
  namespace: string;
  /** Which replica this is. */
  identity: string;
  client: LeaderClient;
  caches: Informers;
  metrics: AgentMetrics;
  /** Takes what the embedded DNS server is to answer. */
  serve: (zones: Zones) => void;
  isLeader: () => boolean;
  /** What reached this replica and could not be stored. */
  unstored: PendingDecisions;
  log: Log;
}
