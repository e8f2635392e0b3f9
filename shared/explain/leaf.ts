import type { LeafDecision, LeafReason, ProbeStatus, RecordStatus } from "../model/status.ts";
import { bestVerdict } from "../record/leaf-health.ts";
import type { Clock } from "./clock.ts";
import { counted, describeFailures, describePendingFailures, unhealthyRegions } from "./region-views.ts";

/** The part of a record that the sentences need. */
type Explained = Pick<RecordStatus, "leaves" | "probes">;

const WORDS: Record<LeafReason, string> = {
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

/** An unknown reason of a newer edge stands for itself. */
const whyOf = (reason: LeafReason): string => WORDS[reason] ?? reason;

/** Reasons that need no text if the regions' view is known. */
const SEEN_SAYS_IT: ReadonlySet<LeafReason> = new Set(["Healthy", "Unknown", "UnhealthyWithheld"]);

/**
 * Explains in one sentence why a leaf is in DNS or not: `198.51.100.20 withheld: 2 of 3 regions (enam, weur) say
 * connect timeout since 12:04:31; 6 failures, threshold 5`. The view, the command line, the agent's log and `npm start`
 * all use it.
 */
export function explainLeaf(record: Explained, leaf: string, clock: Clock): string {
  const decision = record.leaves.find((one) => one.leaf === leaf);
  if (decision === undefined) return `${leaf} is not in the record`;
  return `${leaf} ${decision.published ? "published" : "withheld"}: ${explainDecision(record, decision, clock)}`;
}

/**
 * As {@link explainLeaf}, without the leaf and its state: `2 of 3 regions (enam, weur) say connect timeout since
 * 12:04:31; …`.
 */
export function explainDecision(record: Explained, decision: LeafDecision, clock: Clock): string {
  const seen = seenOfLeaf(decisiveProbes(record, decision.leaf), decision, clock);
  const why = SEEN_SAYS_IT.has(decision.reason) && seen.length > 0 ? [] : [whyOf(decision.reason)];
  return [...why, ...seen].join("; ");
}

/** The probes that decide the leaf's verdict: those with its best verdict. */
export function decisiveProbes({ probes }: Explained, leaf: string): ProbeStatus[] {
  const ofLeaf = probes.filter((probe) => probe.leaf === leaf);
  const best = bestVerdict(ofLeaf);
  return ofLeaf.filter(({ verdict }) => verdict === best);
}

/** The view of each probe. Equal views are said once; different ones name the probe's owner. */
function seenOfLeaf(probes: readonly ProbeStatus[], decision: LeafDecision, clock: Clock): string[] {
  const texts = probes.map((probe) => seenOf(probe, decision, clock));
  if (new Set(texts).size <= 1) return texts.slice(0, 1).filter((text) => text !== "");
  const clusters = new Set(probes.map(({ cluster }) => cluster));
  return probes.flatMap(({ cluster, record }, index) => {
    const owner = clusters.size === probes.length ? cluster : `${record} of ${cluster}`;
    return texts[index] === "" ? [] : [`${owner}: ${texts[index]}`];
  });
}

function seenOf(probe: ProbeStatus, { reason }: LeafDecision, clock: Clock): string {
  if (probe.resting !== undefined) {
    const rests = `the probe rests: ${probe.resting.message || probe.resting.reason || "its configuration is wrong"}`;
    return SEEN_SAYS_IT.has(reason) ? `${whyOf(reason)}; ${rests}` : rests;
  }
  switch (reason) {
    case "Healthy":
      return healthySeen(probe, clock);
    case "PendingPublished":
    case "PendingWithheld":
      return pendingSeen(probe, clock);
    case "Unknown":
      return `no region has had word of it since ${clock(probe.since)}, and silence is no failure`;
    case "NotProbed":
      return "";
    default:
      return describeFailures(probe, clock) || verdictSeen(probe, clock);
  }
}

function healthySeen(probe: ProbeStatus, clock: Clock): string {
  const healthy = `healthy since ${clock(probe.since)}`;
  if (unhealthyRegions(probe).length === 0) return healthy;
  return `${healthy}; but ${describeFailures(probe, clock)}; ${counted(probe.quorum, "region")} needed to withhold it`;
}

function pendingSeen(probe: ProbeStatus, clock: Clock): string {
  const standing = probe.regions.filter(({ counts }) => counts.successes >= probe.successThreshold).length;
  const times = counted(probe.successThreshold, "time");
  const found = `${standing} of ${counted(probe.regions.length, "region")} found it in order ${times} in a row`;
  return [found, describeFailures(probe, clock), describePendingFailures(probe)]
    .filter((text) => text !== "")
    .join("; ");
}

/** No region sees a failure any more. The verdict stays unhealthy until a region reaches the success threshold. */
function verdictSeen({ verdict, since, successThreshold }: ProbeStatus, clock: Clock): string {
  const text = `${verdict.toLowerCase()} since ${clock(since)}`;
  if (verdict !== "Unhealthy") return text;
  return `${text}, and not yet found in order ${counted(successThreshold, "time")} in a row`;
}
