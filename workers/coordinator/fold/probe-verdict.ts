import { isSameAdvice, probeAdvisories } from "../../../shared/health/advisory.ts";
import { judge } from "../../../shared/health/verdict.ts";
import { markChanged } from "../decide/roots.ts";
import { updateSummarySignature } from "../live/summary-signature.ts";
import type { CoordinatorState, ProbeState } from "../state.ts";
import { addEvent } from "../store/events.ts";
import { storeProbe } from "../store/persist.ts";
import { policyOf, regionVerdictsOf } from "./region-state.ts";

/**
 * Judges one probe by the verdicts of its regions. Returns whether its verdict has changed. A resting probe keeps its
 * verdict if it was ever proven; otherwise it is judged as silent.
 */
export function judgeProbe(state: CoordinatorState, probe: ProbeState, nowMs: number): boolean {
  const before = probe.standing;
  const isResting = probe.desired.resting !== undefined;
  if (isResting && before?.provenAt !== undefined) {
    probe.advisories = [];
    return false;
  }
  const policy = policyOf(probe);
  const verdicts = regionVerdictsOf(state, probe, nowMs);
  updateSummarySignature(state, probe, verdicts);
  const standing = judge(before, verdicts, policy, nowMs);
  probe.standing = standing;
  if (standing.verdict !== before?.verdict || standing.provenAt !== before?.provenAt) storeProbe(state, probe);
  updateAdvisories(state, probe, nowMs);
  if (standing.verdict === before?.verdict) return false;
  markChanged(state, probe.root);
  if (before !== undefined) logVerdictChange(state, probe, `${before.verdict} → ${standing.verdict}`, nowMs);
  return true;
}

/** Updates the advisories that are shown beside the verdict. */
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
