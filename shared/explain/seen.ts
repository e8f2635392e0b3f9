import type { ProbeStatus, RegionStatus } from "../model/status.ts";
import type { Clock } from "./clock.ts";
import { reasonWords } from "./reason-words.ts";

/** A number with its noun: `1 failure`, `6 failures`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** Regions whose last word is that the probe fails. */
export function against({ regions }: ProbeStatus): RegionStatus[] {
  return regions.filter(({ counts }) => counts.says === "Unhealthy");
}

/**
 * What the regions hold against a probe: `2 of 3 regions (enam, weur) say connect timeout since 12:04:31; 6 failures,
 * threshold 5`. Empty while none says anything against it.
 */
export function seenAgainst(probe: ProbeStatus, clock: Clock): string {
  const saying = against(probe);
  if (saying.length === 0) return "";
  const names = saying.map(({ region }) => region).join(", ");
  const verb = saying.length === 1 ? "says" : "say";
  const since = probe.verdict === "Unhealthy" ? ` since ${clock(probe.since)}` : "";
  const what = reasonsOf(saying).join(" or ") || "unhealthy";
  const counts = `${counted(probe.consecutiveFailures || mostFailures(saying), "failure")}, threshold ${probe.failureThreshold}`;
  return `${saying.length} of ${counted(probe.regions.length, "region")} (${names}) ${verb} ${what}${since}; ${counts}`;
}

/** What one region sees just now: `connect timeout, 6 failures`, `ok, 12 successes`, `silent`. */
export function seenFrom({ freshness, counts, observation }: RegionStatus): string {
  const what = observation === undefined ? [] : [reasonWords(observation)];
  const known = [...what, ...inARow(counts)].join(", ") || "nothing yet";
  if (freshness === "Fresh") return known;
  return freshness === "Silent" ? `silent (last: ${known})` : `awaited (last: ${known})`;
}

function inARow({ failures, successes }: RegionStatus["counts"]): string[] {
  if (failures > 0) return [counted(failures, "failure")];
  return successes > 0 ? [`${successes} ${successes === 1 ? "success" : "successes"}`] : [];
}

function mostFailures(regions: readonly RegionStatus[]): number {
  return Math.max(...regions.map(({ counts }) => counts.failures));
}

/** Each once, in the order of the alphabet; a region that is on the mend has nothing to say. */
function reasonsOf(regions: readonly RegionStatus[]): string[] {
  const failing = regions.flatMap(({ observation }) =>
    observation === undefined || observation.reason === "Ok" ? [] : [reasonWords(observation)],
  );
  return [...new Set(failing)].sort();
}
