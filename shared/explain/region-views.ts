import { isUnhealthyAt } from "../health/threshold.ts";
import type { ProbeStatus, RegionStatus } from "../model/status.ts";
import { outcomeOf } from "../reason.ts";
import type { Clock } from "./clock.ts";
import { describeReason } from "./describe-reason.ts";

/** Formats a number with its noun: `1 failure`, `6 failures`, `2 successes`. */
export const counted = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? "" : noun.endsWith("s") ? "es" : "s"}`;

/** The regions whose verdict on the probe is Unhealthy. */
export function unhealthyRegions({ regions }: ProbeStatus): RegionStatus[] {
  return regions.filter(({ counts }) => counts.says === "Unhealthy");
}

/**
 * Describes the failures of a probe: `2 of 3 regions (enam, weur) say connect timeout since 12:04:31; 6 failures,
 * threshold 5`. Different reasons are listed with their regions. Empty if no region sees a failure.
 */
export function describeFailures(probe: ProbeStatus, clock: Clock): string {
  const saying = unhealthyRegions(probe);
  if (saying.length === 0) return "";
  const since = probe.verdict === "Unhealthy" ? ` since ${clock(probe.since)}` : "";
  const share = `${saying.length} of ${counted(probe.regions.length, "region")}`;
  return [`${share} ${whoSaysWhat(saying)}${since}`, failuresOf(probe, saying), ...silentIn(probe)].join("; ");
}

/**
 * Describes failures in regions without a verdict yet: `2 of 3 regions (enam, weur) say no address`. Empty if there are
 * none.
 */
export function describePendingFailures({ regions }: ProbeStatus): string {
  const failing = regions.filter(
    ({ counts, observation }) =>
      counts.says === "Pending" && observation !== undefined && outcomeOf(observation.reason) === "failed",
  );
  return failing.length === 0
    ? ""
    : `${failing.length} of ${counted(regions.length, "region")} ${whoSaysWhat(failing)}`;
}

/** Describes the view of one region: `connect timeout, 6 failures`, `ok, 12 successes`, `silent`. */
export function describeRegion({ freshness, counts, observation }: RegionStatus): string {
  const what = observation === undefined ? [] : [describeReason(observation)];
  const known = [...what, ...inARow(counts)].join(", ");
  if (freshness === "Fresh") return known || "nothing yet";
  const state = freshness === "Silent" ? "silent" : "awaited";
  return known === "" ? state : `${state} (last: ${known})`;
}

function inARow({ failures, successes }: RegionStatus["counts"]): string[] {
  if (failures > 0) return [counted(failures, "failure")];
  return successes > 0 ? [counted(successes, "success")] : [];
}

function whoSaysWhat(saying: readonly RegionStatus[]): string {
  const verb = saying.length === 1 ? "says" : "say";
  const groups = [...Map.groupBy(saying, failureOf)].sort(([one], [other]) => (one < other ? -1 : 1));
  const [only = "unhealthy"] = groups[0] ?? [];
  if (groups.length === 1) return `(${namesOf(saying)}) ${verb} ${only}`;
  return `${verb} ${groups.map(([reason, regions]) => `${reason} (${namesOf(regions)})`).join(", ")}`;
}

/** A recovering region, or one with its own problem since, has no failure to name, so its verdict is named. */
function failureOf({ counts, observation }: RegionStatus): string {
  if (observation !== undefined && outcomeOf(observation.reason) === "failed") return describeReason(observation);
  return counts.successes > 0 ? "recovering" : "unhealthy";
}

/** The count behind the verdict; for a verdict that is not reached yet or is silent, the highest count. */
function failuresOf(probe: ProbeStatus, saying: readonly RegionStatus[]): string {
  const { verdict, consecutiveFailures, failureThreshold, successThreshold } = probe;
  const most = Math.max(...saying.map(({ counts }) => counts.failures));
  if (most === 0) {
    const successes = Math.max(...saying.map(({ counts }) => counts.successes));
    return `${successes} of ${counted(successThreshold, "success")} needed`;
  }
  const tips = verdict === "Unhealthy" && isUnhealthyAt(consecutiveFailures, probe);
  return `${counted(tips ? consecutiveFailures : most, "failure")}, threshold ${failureThreshold}`;
}

function silentIn({ regions }: ProbeStatus): string[] {
  const silent = regions.filter(({ freshness }) => freshness === "Silent");
  return silent.length === 0 ? [] : [`${namesOf(silent)} silent`];
}

const namesOf = (regions: readonly RegionStatus[]): string => regions.map(({ region }) => region).join(", ");
