import { count, NO_COUNTS, reassess, saturate } from "../../../shared/health/count.ts";
import { addressFamily } from "../../../shared/model/address.ts";
import type { ProbeReport } from "../../../shared/model/messages/report.ts";
import type { Counts, Probe } from "../../../shared/model/probe.ts";
import { outcomeOf } from "../../../shared/reason.ts";
import type { CheckResult } from "../check/check.ts";
import type { Reachability } from "../dial/slots.ts";

/** A probe of the shard, and how it stands. One object as long as its revision stays. */
export interface ProbeState {
  probe: Probe;
  /** Exact while the object is in memory; after an eviction those beyond the thresholds stand at them, and say the same. */
  counts: Counts;
  /** The last completed check, Unix ms; `isDated` says whether memory knows it, or a mark that is as old as its counts. */
  checkedAt?: number | undefined;
  isDated: boolean;
  /** When the last check began, or ended if it was indeterminate, Unix ms. */
  askedAt?: number | undefined;
  /** Since when it is to be looked at, Unix ms, because another region saw something else. */
  recheckAt?: number | undefined;
  /** Addresses whose last dial was answered: all others may hang. */
  reached: Set<string>;
}

/** What is stored of a member. */
export interface StoredProbeState {
  revision: string;
  counts: Counts;
  /** Whether the last dial to the leaf was answered; names are looked up afresh, and their addresses are suspects first. */
  reached: boolean;
  checkedAt?: number | undefined;
}

/**
 * The members after an assignment. A probe in both lists stays the same object: neither restarted nor recounted, its thresholds
 * applied to the counts as they stand. Another revision starts from its own mark, or from the carried state.
 */
export function reconcileProbes(
  members: ReadonlyMap<string, ProbeState>,
  probes: readonly Probe[],
  marks: ReadonlyMap<string, StoredProbeState>,
): Map<string, ProbeState> {
  return new Map(probes.map((probe) => [probe.id, memberOf(probe, members.get(probe.id), marks.get(probe.id))]));
}

function memberOf(probe: Probe, member: ProbeState | undefined, mark: StoredProbeState | undefined): ProbeState {
  if (member?.probe.revision === probe.revision) {
    member.probe = probe;
    member.counts = reassess(member.counts, probe);
    return member;
  }
  const known = mark?.revision === probe.revision ? mark : undefined;
  return {
    probe,
    counts: reassess(known?.counts ?? probe.carried ?? NO_COUNTS, probe),
    checkedAt: known?.checkedAt,
    isDated: false,
    reached: new Set(known?.reached ? [probe.target.leaf] : []),
  };
}

/** Counts a check result, in place. */
export function applyResult(member: ProbeState, result: CheckResult): void {
  const { reason, at, phases } = result.observation;
  const outcome = outcomeOf(reason);
  member.counts = count(member.counts, outcome, member.probe);
  // A fault of our own gets its time: a long check without a result is not repeated at once.
  member.askedAt = outcome === "indeterminate" ? at : at - phases.totalMs;
  member.recheckAt = undefined;
  if (outcome !== "indeterminate") {
    member.checkedAt = at;
    member.isDated = true;
  }
  for (const { address, reason, phases } of result.probeResults) {
    if (address === undefined) continue;
    if (phases.connectMs !== undefined) member.reached.add(address);
    else if (reason === "ConnectTimeout") member.reached.delete(address);
  }
  keepOnly(member.reached, result);
}

/** The addresses of a name come and go; those that were not asked this time are forgotten. */
function keepOnly(reached: Set<string>, { probeResults }: CheckResult): void {
  if (probeResults.length === 0) return;
  const asked = new Set(probeResults.map((probeResult) => probeResult.address));
  for (const address of reached) if (!asked.has(address)) reached.delete(address);
}

export function reachabilityOf(member: ProbeState, address: string): Reachability {
  return member.reached.has(address) ? "proven" : "suspect";
}

export function storedStateOf(member: ProbeState): StoredProbeState {
  const { probe, checkedAt, reached } = member;
  const counts = saturate(member.counts, probe);
  const isReached = addressFamily(probe.target.leaf) !== undefined && reached.has(probe.target.leaf);
  return { revision: probe.revision, counts, reached: isReached, ...(checkedAt !== undefined && { checkedAt }) };
}

/** Without the time of its last check if memory has lost that. The report then has nothing new on it. */
export function probeReportOf(member: ProbeState, result: CheckResult | undefined): ProbeReport {
  const { probe, counts, isDated } = member;
  const checkedAt = isDated ? member.checkedAt : undefined;
  return {
    id: probe.id,
    revision: probe.revision,
    counts,
    ...(checkedAt !== undefined && { checkedAt }),
    ...(result !== undefined && { observation: result.observation }),
  };
}
