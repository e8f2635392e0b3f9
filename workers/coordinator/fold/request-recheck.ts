import { spend } from "../../../shared/budget.ts";
import { type Other, regionsToAsk } from "../../../shared/health/look-now.ts";
import type { Word } from "../../../shared/model/probe.ts";
import type { Region } from "../../../shared/model/region.ts";
import { errorMessage } from "../../retry.ts";
import { mayRecheck } from "../place/address-load.ts";
import type { CoordinatorState, ProbeState, ShardState } from "../state.ts";
import { emptyRegionState, regionVerdictsOf } from "./region-state.ts";

/** Requests in quick succession per shard; after that, one per interval. */
const MAX_REQUESTS = 3;

/** A probe on which a region has just started to differ, and the verdict that the region had before. */
export type Difference = { probe: ProbeState; said: Word };

/**
 * Asks the other regions to recheck the probes on which one region has just started to differ. Each region gets one
 * call, after the current report is answered. A lost call only costs time, since each region checks the probe in its
 * next round anyway. So nothing is stored.
 */
export function requestRechecks(
  state: CoordinatorState,
  shard: ShardState,
  region: Region,
  differing: readonly Difference[],
  nowMs: number,
): void {
  const requests = probesToRecheck(state, shard, region, differing, nowMs);
  if (requests.size === 0) return;
  const budget = spend(shard.recheckBudget, { most: MAX_REQUESTS, everyMs: shard.intervalMs }, nowMs);
  if (budget === undefined) return;
  shard.recheckBudget = budget;
  noteRequests(state, requests, nowMs);
  state.dependencies.soon(() => sendRequests(state, shard, requests));
}

/** The probes that each region is asked to recheck. A region that never acknowledged an assignment has no prober. */
function probesToRecheck(
  state: CoordinatorState,
  shard: ShardState,
  region: Region,
  differing: readonly Difference[],
  nowMs: number,
): Map<Region, string[]> {
  const requests = new Map<Region, string[]>();
  for (const { probe, said } of differing) {
    if (!mayRequest(state, probe)) continue;
    const checkedAt = probe.regionStates.get(region)?.checkedAt ?? 0;
    for (const other of regionsToAsk({ region, said, checkedAt }, otherRegions(state, probe, nowMs))) {
      if (!shard.acknowledged.has(other)) continue;
      requests.set(other, [...(requests.get(other) ?? []), probe.desired.id]);
    }
  }
  return requests;
}

/** A region that was asked but did not recheck is not asked again within the interval: its round comes by then. */
function otherRegions(state: CoordinatorState, probe: ProbeState, nowMs: number): Other[] {
  return regionVerdictsOf(state, probe, nowMs).map((verdict) => {
    const { checkedAt, recheckRequestedAt } = probe.regionStates.get(verdict.region) ?? emptyRegionState(nowMs);
    const isAsked =
      recheckRequestedAt > (checkedAt ?? 0) && nowMs - recheckRequestedAt < probe.desired.check.intervalMs;
    return { ...verdict, checkedAt, isAsked };
  });
}

/**
 * Not allowed if rounds are as frequent as confirmations, or if the address is at its request limit: rounds then
 * suffice.
 */
function mayRequest(state: CoordinatorState, { desired, standing }: ProbeState): boolean {
  const isJudged = desired.resting === undefined && standing !== undefined && standing.verdict !== "Pending";
  return isJudged && mayRecheck(state, desired);
}

function noteRequests(state: CoordinatorState, requests: ReadonlyMap<Region, readonly string[]>, nowMs: number): void {
  for (const [region, probes] of requests) {
    for (const id of probes) {
      const regionState = state.probes.get(id)?.regionStates.get(region);
      if (regionState !== undefined) regionState.recheckRequestedAt = nowMs;
    }
  }
}

async function sendRequests(
  state: CoordinatorState,
  { intervalMs, n }: ShardState,
  requests: ReadonlyMap<Region, readonly string[]>,
): Promise<void> {
  await Promise.all(
    [...requests].map(async ([region, probes]) => {
      if (state.isAbandoned) return;
      try {
        await state.dependencies.lookNow({ region, partition: state.partition, intervalMs, n }, probes);
      } catch (error) {
        const message = "cannot request a recheck from a prober";
        console.warn({ message, region, intervalMs, n, error: errorMessage(error) });
      }
    }),
  );
}
