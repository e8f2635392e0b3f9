import type { Region } from "../model/region.ts";
import type { Advisory } from "../model/status.ts";

/** All probes that run in one region, with when each of them last began to say unhealthy there, if it says so now. */
export type RegionTurns = { region: Region; probes: number; unhealthySince: readonly number[] };

const LEAST_PROBES = 3;

/**
 * Regions most of whose probes turned unhealthy within `windowMs` of each other, while most regions saw no such turn. That is
 * evidence against the region, not against the endpoints (docs/design/health.md, advisories).
 */
export function regionSuspects(turns: readonly RegionTurns[], windowMs: number): Advisory[] {
  const turned = turns.flatMap((turn) => {
    const since = turnOfMost(turn, windowMs);
    return since === undefined ? [] : [{ region: turn.region, probes: turn.probes, since }];
  });
  if (turned.length * 2 >= turns.length) return [];
  return turned.map(({ region, probes, since }) => ({
    type: "RegionSuspect",
    message: `most of the ${probes} probes in ${region} turned unhealthy at once, and in most other regions they did not`,
    regions: [region],
    since,
  }));
}

/** When the first of the probes turned that make up a majority within the window. */
function turnOfMost(turn: RegionTurns, windowMs: number): number | undefined {
  if (turn.probes < LEAST_PROBES) return undefined;
  const most = Math.floor(turn.probes / 2) + 1;
  const times = turn.unhealthySince.toSorted((a, b) => a - b);
  return times.find((since, index) => (times[index + most - 1] ?? Number.POSITIVE_INFINITY) - since <= windowMs);
}
