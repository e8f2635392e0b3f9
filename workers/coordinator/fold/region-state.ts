import type { AdvisedRegion } from "../../../shared/health/advisory.ts";
import { NO_COUNTS } from "../../../shared/health/count.ts";
import { type Freshness, freshnessOf } from "../../../shared/health/freshness.ts";
import { quorumSize } from "../../../shared/health/quorum.ts";
import type { Policy } from "../../../shared/health/verdict.ts";
import type { HealthCheck } from "../../../shared/model/health-check.ts";
import type { CoordinatorState, ProbeState, RegionState } from "../state.ts";
import { waitStart } from "./activity.ts";

/** Slightly longer than the interval of the cron heartbeat. */
const SHORT_RESTART_MS = 90_000;

/** The verdict of each configured region on a probe, and its freshness now. A resting probe counts as silent. */
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

/** The probe's policy as numbers. If the shares of its record differ, `Freeze` takes precedence over `Publish`. */
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
  const freshAt = checkedAt === undefined ? undefined : extendOverRestart(state, check, checkedAt);
  return freshnessOf({ ...(freshAt !== undefined && { checkedAt: freshAt }), awaitedFrom }, check.staleAfterMs, nowMs);
}

/**
 * Extends the freshness of a verdict over a short restart, until the next round of the region has ended. Stored
 * last-seen times are up to a minute old. Without this, the first region to report would decide before the others
 * could.
 */
function extendOverRestart({ start }: CoordinatorState, check: HealthCheck, checkedAt: number): number {
  const { lastActiveAt } = start;
  if (lastActiveAt === undefined || start.at - lastActiveAt > SHORT_RESTART_MS) return checkedAt;
  if (lastActiveAt - checkedAt > check.staleAfterMs) return checkedAt;
  return Math.max(checkedAt, start.at - check.staleAfterMs + check.intervalMs + check.timeoutMs);
}

/** The state of a region that has not reported the probe yet. */
export function emptyRegionState(nowMs: number): RegionState {
  return {
    counts: NO_COUNTS,
    stored: undefined,
    checkedAt: undefined,
    succeededAt: undefined,
    saidAt: nowMs,
    recent: [],
    recentAt: 0,
    recheckRequestedAt: 0,
    observation: undefined,
  };
}
