import type { AdvisedRegion } from "../../../shared/health/advisory.ts";
import { NO_COUNTS } from "../../../shared/health/count.ts";
import { type Freshness, freshnessOf } from "../../../shared/health/freshness.ts";
import { quorumSize } from "../../../shared/health/quorum.ts";
import type { Policy } from "../../../shared/health/verdict.ts";
import type { HealthCheck } from "../../../shared/model/health-check.ts";
import type { ProbeState, RegionState, World } from "../state.ts";
import { waitsFrom } from "./activity.ts";

/** A restart that lasted no longer than cron takes to come round again, and a little. */
const SHORT_RESTART_MS = 90_000;

/** What each configured region says of a probe, and what that is worth now: a resting probe is judged as silent. */
export function wordsOf(world: World, probe: ProbeState, nowMs: number): AdvisedRegion[] {
  return probe.desired.check.regions.map((region) => {
    const state = probe.words.get(region);
    return {
      region,
      freshness: probe.desired.resting === undefined ? freshnessIn(world, probe, state, nowMs) : "Silent",
      counts: state?.counts ?? NO_COUNTS,
      ...(state !== undefined && { saysSince: state.saidAt }),
      recent: state?.recent ?? [],
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

function freshnessIn(world: World, probe: ProbeState, state: RegionState | undefined, nowMs: number): Freshness {
  const { check } = probe.desired;
  const givenAt = Math.max(probe.assignedAt, probe.timingEditedAt);
  const checkedAt = state?.checkedAt;
  const heardAt = Math.max(givenAt, checkedAt ?? 0);
  const awaitedFrom = waitsFrom(world, heardAt, check.staleAfterMs) > heardAt ? world.start.at : givenAt;
  const held = checkedAt === undefined ? undefined : heldUntilNextRound(world, check, checkedAt);
  return freshnessOf({ ...(held !== undefined && { checkedAt: held }), awaitedFrom }, check.staleAfterMs, nowMs);
}

/**
 * Over a short restart a word that was fresh when the coordinator was last active stays so until the region's next round
 * has ended: what is stored of last-seen times is up to a minute old, and the first region to report again must not
 * decide for those that have not had their turn.
 */
function heldUntilNextRound({ start }: World, check: HealthCheck, checkedAt: number): number {
  const { lastActiveAt } = start;
  if (lastActiveAt === undefined || start.at - lastActiveAt > SHORT_RESTART_MS) return checkedAt;
  if (lastActiveAt - checkedAt > check.staleAfterMs) return checkedAt;
  return Math.max(checkedAt, start.at - check.staleAfterMs + check.intervalMs + check.timeoutMs);
}
