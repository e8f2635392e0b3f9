import { isSameAdvice, probeAdvisories } from "../../../shared/health/advisory.ts";
import { judge } from "../../../shared/health/verdict.ts";
import { markChanged } from "../decide/roots.ts";
import { updateSummarySignature } from "../live/summary-signature.ts";
import type { CoordinatorState, ProbeState } from "../state.ts";
import { addEvent } from "../store/events.ts";
import { storeProbe } from "../store/persist.ts";
import { policyOf, regionVerdictsOf } from "./region-state.ts";

/**
 * Judges one probe by what its regions say now, and says whether its verdict has changed. A probe that rests keeps its
 * verdict; only one that was never proven is judged, as silent (design §3, shares).
 */
export function judgeProbe(state: CoordinatorState, probe: ProbeState, nowMs: number): boolean {
  const before = probe.standing;
  const isResting = probe.desired.resting !== undefined;
  if (isResting && before?.provenAt !== undefined) {
    probe.advisories = [];
    return false;
  }
  const policy = policyOf(probe);
  const words = regionVerdictsOf(state, probe, nowMs);
  updateSummarySignature(state, probe, words);
  const standing = judge(before, words, policy, nowMs);
  probe.standing = standing;
  if (standing.verdict !== before?.verdict || standing.provenAt !== before?.provenAt) storeProbe(state, probe);
  updateAdvisories(state, probe, nowMs);
  if (standing.verdict === before?.verdict) return false;
  markChanged(state, probe.root);
  if (before !== undefined) logVerdictChange(state, probe, `${before.verdict} → ${standing.verdict}`, nowMs);
  return true;
}

/** Says beside the verdict what a person should know of it. */
export function updateAdvisories(state: CoordinatorState, probe: ProbeState, nowMs: number): void {
  const { standing, desired } = probe;
  const isJudged = standing !== undefined && desired.resting === undefined;
  const advisories = isJudged ? probeAdvisories(standing, regionVerdictsOf(state, probe, nowMs), policyOf(probe)) : [];
  if (!isSameAdvice(advisories, probe.advisories)) markChanged(state, probe.root);
  probe.advisories = advisories;
}

function logVerdictChange(state: CoordinatorState, { desired, root }: ProbeState, change: string, nowMs: number): void {
  addEvent(state.store.sql, {
    at: nowMs,
    type: "VerdictChanged",
    rootHost: root.rootHost,
    probe: desired.id,
    cluster: desired.cluster,
    message: `${desired.leaf}: ${change}`,
  });
}
