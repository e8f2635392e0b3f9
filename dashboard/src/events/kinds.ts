import type { Event } from "../../../shared/model/event.ts";

/** Kinds of events that people filter by, in the order in which they are offered. */
export const KINDS = {
  verdicts: "Verdicts",
  decisions: "Decisions",
  deliveries: "Deliveries",
  refused: "Refused records",
  regions: "Regions",
  clusters: "Clusters",
  upkeep: "Upkeep",
} as const;
export type Kind = keyof typeof KINDS;

/** How urgent an event is at a glance. The word beside it says what happened. */
export type EventTone = "bad" | "ok" | "quiet";

interface TypeWords {
  kind: Kind;
  words: string;
  tone: EventTone;
}

const TYPES: Record<string, TypeWords> = {
  VerdictChanged: { kind: "verdicts", words: "Verdict", tone: "quiet" },
  DecisionChanged: { kind: "decisions", words: "Decision", tone: "quiet" },
  Delivered: { kind: "deliveries", words: "Delivered", tone: "ok" },
  RecordRefused: { kind: "refused", words: "Record refused", tone: "bad" },
  RecordConflict: { kind: "refused", words: "Record conflict", tone: "bad" },
  RegionSilent: { kind: "regions", words: "Region silent", tone: "bad" },
  RegionReturned: { kind: "regions", words: "Region back", tone: "ok" },
  ClusterRegistered: { kind: "clusters", words: "Cluster registered", tone: "quiet" },
  ClusterRemoved: { kind: "clusters", words: "Cluster removed", tone: "quiet" },
  ClusterUnreachable: { kind: "clusters", words: "Cluster unreachable", tone: "bad" },
  ClusterReachable: { kind: "clusters", words: "Cluster reachable", tone: "ok" },
  DuplicateAgent: { kind: "clusters", words: "Two agents", tone: "bad" },
  NumberOvertaken: { kind: "upkeep", words: "Number overtaken", tone: "quiet" },
  ShardRearmed: { kind: "upkeep", words: "Shard re-armed", tone: "quiet" },
  QuotaNear: { kind: "upkeep", words: "Quota nearly used up", tone: "bad" },
  PartitionsChanged: { kind: "upkeep", words: "Partitions changed", tone: "bad" },
};

/**
 * What to call an event. A type that this page does not know yet (the edge is newer) is shown under its own name, with the
 * upkeep.
 */
export function typeWords({ type, message }: Pick<Event, "type" | "message">): TypeWords {
  const known = TYPES[type] ?? { kind: "upkeep", words: type, tone: "quiet" };
  return type === "VerdictChanged" ? { ...known, tone: verdictTone(message) } : known;
}

/** A verdict's event ends in the verdict that it changed to. */
function verdictTone(message: string): EventTone {
  const last = message.match(
    /\b(Healthy|Unhealthy|Pending|Unknown)\b(?!.*\b(?:Healthy|Unhealthy|Pending|Unknown)\b)/,
  )?.[1];
  if (last === "Unhealthy") return "bad";
  return last === "Healthy" ? "ok" : "quiet";
}
