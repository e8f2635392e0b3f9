import { isSameAdvice, probeAdvisories } from "../../../shared/health/advisory.ts";
import { judge } from "../../../shared/health/verdict.ts";
import { touch } from "../decide/roots.ts";
import { noteShown } from "../live/summary-signature.ts";
import type { CoordinatorState, ProbeState } from "../state.ts";
import { addEvent } from "../store/events.ts";
import { storeProbe } from "../store/persist.ts";
import { policyOf, wordsOf } from "./region-state.ts";

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
  const words = wordsOf(state, probe, nowMs);
  noteShown(state, probe, words);
  const standing = judge(before, words, policy, nowMs);
  probe.standing = standing;
  if (standing.verdict !== before?.verdict || standing.provenAt !== before?.provenAt) storeProbe(state, probe);
  advise(state, probe, nowMs);
  if (standing.verdict === before?.verdict) return false;
  touch(state, probe.root);
  if (before !== undefined) logVerdict(state, probe, `${before.verdict} → ${standing.verdict}`, nowMs);
  return true;
}

/** Says beside the verdict what a person should know of it. */
export function advise(state: CoordinatorState, probe: ProbeState, nowMs: number): void {
  const { standing, desired } = probe;
  const isJudged = standing !== undefined && desired.resting === undefined;
  const advisories = isJudged ? probeAdvisories(standing, wordsOf(state, probe, nowMs), policyOf(probe)) : [];
  if (!isSameAdvice(advisories, probe.advisories)) touch(state, probe.root);
  probe.advisories = advisories;
}

function logVerdict(state: CoordinatorState, { desired, root }: ProbeState, change: string, nowMs: number): void {
  addEvent(state.store.sql, {
    at: nowMs,
    type: "VerdictChanged",
    rootHost: root.rootHost,
    probe: desired.id,
    cluster: desired.cluster,
    message: `${desired.leaf}: ${change}`,
  });
}
