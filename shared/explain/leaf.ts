import type { LeafDecision, LeafReason, ProbeStatus, RecordStatus } from "../model/status.ts";
import { bestVerdict } from "../record/leaf-health.ts";
import type { Clock } from "./clock.ts";
import { against, counted, seenAgainst, seenFailing } from "./seen.ts";

/** What of a record the sentences are made of. */
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

/** One that only a newer edge knows is its own word. */
const whyOf = (reason: LeafReason): string => WORDS[reason] ?? reason;

/** Where what is seen says it all, once something is. */
const SEEN_SAYS_IT: ReadonlySet<LeafReason> = new Set(["Healthy", "Unknown", "UnhealthyWithheld"]);

/**
 * Why a leaf is in DNS or not, in one sentence: `198.51.100.20 withheld: 2 of 3 regions (enam, weur) say connect timeout
 * since 12:04:31; 6 failures, threshold 5`. The page, the command line and notifications all say this.
 */
export function explainLeaf(record: Explained, leaf: string, clock: Clock): string {
  const decision = record.leaves.find((one) => one.leaf === leaf);
  if (decision === undefined) return `${leaf} is not in the record`;
  return `${leaf} ${decision.published ? "published" : "withheld"}: ${explainDecision(record, decision, clock)}`;
}

/** The same without the leaf and what became of it: `2 of 3 regions (enam, weur) say connect timeout since 12:04:31; …`. */
export function explainDecision(record: Explained, decision: LeafDecision, clock: Clock): string {
  const seen = seenOfLeaf(decisiveProbes(record, decision.leaf), decision, clock);
  const why = SEEN_SAYS_IT.has(decision.reason) && seen.length > 0 ? [] : [whyOf(decision.reason)];
  return [...why, ...seen].join("; ");
}

/** Those that the leaf's verdict is of: it is as good as its best. */
export function decisiveProbes({ probes }: Explained, leaf: string): ProbeStatus[] {
  const ofLeaf = probes.filter((probe) => probe.leaf === leaf);
  const best = bestVerdict(ofLeaf);
  return ofLeaf.filter(({ verdict }) => verdict === best);
}

/** What is seen of each probe, once where several say the same, else with whose probe it is. */
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
      return seenAgainst(probe, clock) || verdictSeen(probe, clock);
  }
}

function healthySeen(probe: ProbeStatus, clock: Clock): string {
  const healthy = `healthy since ${clock(probe.since)}`;
  if (against(probe).length === 0) return healthy;
  return `${healthy}; but ${seenAgainst(probe, clock)}; ${counted(probe.quorum, "region")} needed to withhold it`;
}

function pendingSeen(probe: ProbeStatus, clock: Clock): string {
  const standing = probe.regions.filter(({ counts }) => counts.successes >= probe.successThreshold).length;
  const times = counted(probe.successThreshold, "time");
  const found = `${standing} of ${counted(probe.regions.length, "region")} found it in order ${times} in a row`;
  return [found, seenAgainst(probe, clock), seenFailing(probe)].filter((text) => text !== "").join("; ");
}

/** No region holds anything against it any more: an unhealthy verdict stays until one has reached the success threshold. */
function verdictSeen({ verdict, since, successThreshold }: ProbeStatus, clock: Clock): string {
  const text = `${verdict.toLowerCase()} since ${clock(since)}`;
  if (verdict !== "Unhealthy") return text;
  return `${text}, and not yet found in order ${counted(successThreshold, "time")} in a row`;
}
