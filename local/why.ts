import type { LeafDecision, ProbeStatus, RecordStatus } from "../shared/model/status.ts";

const KEPT: Record<LeafDecision["reason"], string> = {
  Healthy: "healthy",
  Unknown: "no region has word of it: silence counts as healthy",
  PendingPublished: "not judged yet",
  PendingWithheld: "not proven yet",
  UnhealthyWithheld: "unhealthy",
  KeptForMinPublished: "unhealthy, but kept so that enough stay published",
  KeptLast: "unhealthy, but nothing else is left: the last ones stay",
  KeptForFamily: "unhealthy, but the least bad address of its family",
  NotProbed: "not probed",
};

const TLS = /^(TLS|Certificate)/;

/** Why a leaf is in DNS or not, in one sentence: the step of the decision, and what the regions saw. */
export function why(record: RecordStatus, leaf: string): string {
  const decision = record.leaves.find((candidate) => candidate.leaf === leaf);
  if (decision === undefined) return "no longer in the record";
  if (decision.reason === "Healthy") return KEPT.Healthy;
  const seen = record.probes.filter((probe) => probe.leaf === leaf).map(seenOf);
  return [KEPT[decision.reason], ...seen.filter((text) => text !== "")].join(", ");
}

/** `2 of 3 regions: UnexpectedStatus 500`; empty while no region says anything against it. */
function seenOf(probe: ProbeStatus): string {
  const against = probe.regions.filter(({ counts, observation }) => {
    const hasFailed = observation !== undefined && observation.reason !== "Ok";
    return counts.says === "Unhealthy" || (counts.says === "Pending" && hasFailed);
  });
  if (against.length === 0) return "";
  const reasons = against.map(({ observation }) => {
    if (observation === undefined || observation.reason === "Ok") return "recovering";
    // What is wrong with a certificate or a handshake is in the message: until when, for which names, by whom.
    const particulars = observation.message !== undefined && TLS.test(observation.reason) && `(${observation.message})`;
    return [observation.reason, observation.httpStatus, particulars].filter(Boolean).join(" ");
  });
  return `${against.length} of ${probe.regions.length} regions: ${[...new Set(reasons)].sort().join(", ")}`;
}
