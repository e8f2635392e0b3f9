import { isSameAdvice } from "../../../shared/health/advisory.ts";
import { regionSuspects } from "../../../shared/health/region-suspect.ts";
import { REGIONS, type Region } from "../../../shared/model/region.ts";
import { markChanged } from "../decide/roots.ts";
import { isOverdue } from "../place/overdue-shards.ts";
import type { CoordinatorState } from "../state.ts";
import { addEvent } from "../store/events.ts";

/** Verdict changes within this time have one cause. */
const SAME_CAUSE_MS = 120_000;

/** Raises and clears the state of whole regions: silent, or suspect. */
export function watchRegions(state: CoordinatorState, nowMs: number): void {
  const shards = [...state.shards.values()].filter(({ members }) => members.size > 0);
  for (const region of REGIONS) {
    const here = shards.filter(({ inRegions }) => inRegions.has(region));
    const isSilent = here.length > 0 && here.every((shard) => isOverdue(state, shard, region, nowMs));
    updateSilence(state, region, isSilent, nowMs);
  }
  updateSuspects(state);
}

function updateSilence(state: CoordinatorState, region: Region, isSilent: boolean, nowMs: number): void {
  if (isSilent === state.silentRegions.has(region)) return;
  state.alerts.isChanged = true;
  if (isSilent) {
    state.silentRegions.set(region, nowMs);
    state.store.regions.put(region, { silentSince: nowMs });
  } else {
    state.silentRegions.delete(region);
    state.store.regions.delete(region);
  }
  const message = isSilent
    ? `no prober in ${region} reports`
    : `probers in ${region} report, or are no longer asked to`;
  addEvent(state.store.sql, { at: nowMs, type: isSilent ? "RegionSilent" : "RegionReturned", region, message });
}

/** Derived from the current verdicts of the regions, so that a restart gives the same result. */
export function updateSuspects(state: CoordinatorState): void {
  const suspects = regionSuspects(flipsByRegion(state), SAME_CAUSE_MS);
  if (isSameAdvice(suspects, [...state.suspectRegions.values()])) return;
  const concerned = new Set([...state.suspectRegions.keys()]);
  state.suspectRegions.clear();
  for (const advisory of suspects) {
    for (const region of advisory.regions ?? []) {
      state.suspectRegions.set(region, advisory);
      concerned.add(region);
    }
  }
  for (const root of state.roots.values()) {
    const probes = [...root.probes.values()];
    if (probes.some(({ desired }) => desired.check.regions.some((region) => concerned.has(region))))
      markChanged(state, root);
  }
}

function flipsByRegion(state: CoordinatorState) {
  const flips = new Map<Region, { region: Region; probes: number; unhealthySince: number[] }>();
  for (const probe of state.probes.values()) {
    for (const region of probe.desired.check.regions) {
      const flip = flips.get(region) ?? { region, probes: 0, unhealthySince: [] };
      flips.set(region, flip);
      flip.probes += 1;
      const regionState = probe.regionStates.get(region);
      if (regionState?.counts.says === "Unhealthy") flip.unhealthySince.push(regionState.saidAt);
    }
  }
  return [...flips.values()];
}
