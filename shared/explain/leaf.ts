import type { LeafReason, ProbeStatus, RecordStatus, Verdict } from "../model/status.ts";
import type { Clock } from "./clock.ts";
import { against, counted, seenAgainst } from "./seen.ts";

/** What of a record the sentences are made of. */
export type Explained = Pick<RecordStatus, "leaves" | "probes">;

const WHY: Record<LeafReason, string> = {
  Healthy: "healthy",
  Unknown: "no region has word of it, and silence is no failure",
  PendingPublished: "not judged yet, and it was published before",
  PendingWithheld: "not proven healthy yet",
  UnhealthyWithheld: "unhealthy",
  KeptForMinPublished: "unhealthy, but minPublished needs it",
  KeptLast: "unhealthy, but nothing better is left, and the last ones stay",
  KeptForFamily: "unhealthy, but the last of its address family",
  NotProbed: "it is not probed",
};

const BEST_FIRST: readonly Verdict[] = ["Healthy", "Unknown", "Pending", "Unhealthy"];

/**
 * Why a leaf is in DNS or not, in one sentence: `198.51.100.20 withheld: 2 of 3 regions (enam, weur) say connect timeout
 * since 12:04:31; 6 failures, threshold 5`. The page, the command line and notifications all say this.
 */
export function explainLeaf(record: Explained, leaf: string, clock: Clock): string {
  const decision = record.leaves.find((one) => one.leaf === leaf);
  if (decision === undefined) return `${leaf} is not in the record`;
  const state = decision.published ? "published" : "withheld";
  const probes = decisiveProbes(record, leaf);
  const seen = probes.map((probe) => seenOf(probe, decision.reason, clock)).filter((text) => text !== "");
  if (decision.reason === "UnhealthyWithheld" && seen.length > 0) return `${leaf} ${state}: ${seen.join("; ")}`;
  return `${leaf} ${state}: ${[WHY[decision.reason], ...new Set(seen)].join("; ")}`;
}

/** Those that the leaf's verdict is of: it is as good as its best. */
export function decisiveProbes({ probes }: Explained, leaf: string): ProbeStatus[] {
  const ofLeaf = probes.filter((probe) => probe.leaf === leaf);
  const best = BEST_FIRST.find((verdict) => ofLeaf.some((probe) => probe.verdict === verdict));
  return ofLeaf.filter(({ verdict }) => verdict === best);
}

function seenOf(probe: ProbeStatus, reason: LeafReason, clock: Clock): string {
  if (probe.resting !== undefined) return probe.resting.message;
  switch (reason) {
    case "Healthy":
      return healthySeen(probe, clock);
    case "PendingPublished":
    case "PendingWithheld":
      return pendingSeen(probe);
    case "Unknown":
      return `since ${clock(probe.since)}`;
    case "NotProbed":
      return "";
    default:
      return seenAgainst(probe, clock) || mending(probe, clock);
  }
}

function healthySeen(probe: ProbeStatus, clock: Clock): string {
  const since = `since ${clock(probe.since)}`;
  const dissent = against(probe).length === 0 ? "" : `; ${seenAgainst(probe, clock)}; quorum ${probe.quorum}`;
  return since + dissent;
}

function pendingSeen(probe: ProbeStatus): string {
  const standing = probe.regions.filter(({ counts }) => counts.successes >= probe.successThreshold).length;
  return `${standing} of ${counted(probe.regions.length, "region")} found it in order ${counted(probe.successThreshold, "time")} in a row`;
}

/** An unhealthy verdict stays until a region has reached the success threshold. */
function mending(probe: ProbeStatus, clock: Clock): string {
  return `unhealthy since ${clock(probe.since)}, and not yet found in order ${counted(probe.successThreshold, "time")} in a row`;
}
