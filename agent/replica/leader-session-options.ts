import type { AgentHooks } from "../agent.ts";
import type { AgentMetrics } from "../metrics/metrics.ts";
import type { Zones } from "../publish/dns-server/respond.ts";
import type { Log } from "../runtime/log.ts";
import type { Settings } from "../runtime/settings-schema.ts";
import type { Informers } from "./informers.ts";
import type { LeaderClient } from "./leader-guarded-client.ts";
import type { PendingDecisions } from "./pending-decisions.ts";

/** What a replica gives the session of its leadership. */
export interface LeaderSessionOptions {
  settings: Settings;
  hooks: AgentHooks;
  /** The namespace of the agent's Leases. */
  namespace: string;
  /** The identity of this replica. */
  identity: string;
  client: LeaderClient;
  caches: Informers;
  metrics: AgentMetrics;
  /** Takes the zones that the embedded DNS server is to answer from. */
  serve: (zones: Zones) => void;
  isLeader: () => boolean;
  /** Decisions that reached this replica and could not be stored. */
  unstored: PendingDecisions;
  log: Log;
}
