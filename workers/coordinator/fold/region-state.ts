import type { AdvisedRegion } from "../../../shared/health/advisory.ts";
import { NO_COUNTS } from "../../../shared/health/count.ts";
import { type Freshness, freshnessOf } from "../../../shared/health/freshness.ts";
import { quorumSize } from "../../../shared/health/quorum.ts";
import type { Policy } from "../../../shared/health/verdict.ts";
import type { HealthCheck } from "../../../shared/model/health-check.ts";
import type { CoordinatorState, ProbeState, RegionState } from "../state.ts";
import { waitStart } from "./activity.ts";

/** A restart that lasted no longer than cron takes to come round again, and a little. */
const SHORT_RESTART_MS = 90_000;

/** What each configured region says of a probe, and what that is worth now: a resting probe is judged as silent. */
export function regionVerdictsOf(state: CoordinatorState, probe: ProbeState, nowMs: number): AdvisedRegion[] {
  return probe.desired.check.regions.map((region) => {
    const regionState = probe.regionStates.get(region);
    return {
      region,
      freshness: probe.desired.resting === undefined ? freshnessOfRegion(state, probe, regionState, nowMs) : "Silent",
      counts: regionState?.counts ?? NO_COUNTS,
      ...(regionState !== undefined && { saysSince: regionState.saidAt }),
      recent: regionState?.recent ?? [],
    };
  });
}

/** The probe's policy as numbers. Of the shares of its record, `Freeze` holds before `Publish`. */
export function policyOf({ desired: { check }, root }: ProbeState): Policy {
  return {
    quorum: quorumSize(check.quorum, check.regions.length),
    failureThreshold: check.failureThreshold,
    successThreshold: check.successThreshold,
    whenSilent: root.merged.whenSilent,
  };
}

function freshnessOfRegion(
  state: CoordinatorState,
  probe: ProbeState,
  regionState: RegionState | undefined,
  nowMs: number,
): Freshness {
  const { check } = probe.desired;
  const givenAt = Math.max(probe.assignedAt, probe.timingEditedAt);
  const checkedAt = regionState?.checkedAt;
  const heardAt = Math.max(givenAt, checkedAt ?? 0);
  const awaitedFrom = waitStart(state, heardAt, check.staleAfterMs) > heardAt ? state.start.at : givenAt;
  const held = checkedAt === undefined ? undefined : extendOverRestart(state, check, checkedAt);
  return freshnessOf({ ...(held !== undefined && { checkedAt: held }), awaitedFrom }, check.staleAfterMs, nowMs);
}

/**
 * Over a short restart a word that was fresh when the coordinator was last active stays so until the region's next round
 * has ended: what is stored of last-seen times is up to a minute old, and the first region to report again must not
 * decide for those that have not had their turn.
 */
function extendOverRestart({ start }: CoordinatorState, check: HealthCheck, checkedAt: number): number {
  const { lastActiveAt } = start;
  if (lastActiveAt === undefined || start.at - lastActiveAt > SHORT_RESTART_MS) return checkedAt;
  if (lastActiveAt - checkedAt > check.staleAfterMs) return checkedAt;
  return Math.max(checkedAt, start.at - check.staleAfterMs + check.intervalMs + check.timeoutMs);
}
