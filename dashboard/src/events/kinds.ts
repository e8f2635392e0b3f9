import type { Event } from "../../../shared/model/event.ts";

/** The event kinds of the filter, in display order. */
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

/** The tone of an event. The label beside it says what happened. */
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

/** The label of an event. A type of a newer edge is shown under its own name, in the maintenance kind. */
export function typeWords({ type, message }: Pick<Event, "type" | "message">): TypeWords {
  const known = TYPES[type] ?? { kind: "upkeep", words: type, tone: "quiet" };
  return type === "VerdictChanged" ? { ...known, tone: verdictTone(message) } : known;
}

/** The message of a verdict event ends with the new verdict. */
function verdictTone(message: string): EventTone {
  const last = message.match(
    /\b(Healthy|Unhealthy|Pending|Unknown)\b(?!.*\b(?:Healthy|Unhealthy|Pending|Unknown)\b)/,
  )?.[1];
  if (last === "Unhealthy") return "bad";
  return last === "Healthy" ? "ok" : "quiet";
}
