import type { Counts } from "../model/probe.ts";
import type { Outcome } from "../reason.ts";

/**
 * The last completed checks of one probe in one region since it last said unhealthy, oldest first; true is a failure.
 * Those of an outage did count, and are no flapping once it is over. Checks of one turn, such as confirmations, are one
 * entry, which failed if one of them did. Otherwise one short failure would count once for each check.
 */
export type Recent = readonly boolean[];

const WINDOW_CHECKS = 20;
const LEAST_CHECKS = 10;
const FLAPPING_RATIO = 0.2;

/** Checks that follow the first of a turn within this part of the interval belong to it; turns can be late. */
const TURN_PART = 0.75;

/** Whether a check belongs to the turn that another began; times in Unix ms. */
export function isSameTurn(begunAt: number, checkedAt: number, intervalMs: number): boolean {
  return checkedAt - begunAt < intervalMs * TURN_PART;
}

/** Adds an outcome, with what the region says from it on. A failure of the prober itself is no completed check. */
export function remember(recent: Recent, outcome: Outcome, says: Counts["says"], ofSameTurn: boolean): Recent {
  if (says === "Unhealthy") return [];
  if (outcome === "indeterminate") return recent;
  const hasFailed = outcome === "failed";
  const last = ofSameTurn ? recent.at(-1) : undefined;
  if (last !== undefined) return [...recent.slice(0, -1), last || hasFailed];
  return [...recent, hasFailed].slice(-WINDOW_CHECKS);
}

/** Failures among the window's checks, where they are enough to speak of and too many to pass over. */
export function flappingOf(recent: Recent): { failures: number; checks: number } | undefined {
  const failures = recent.filter(Boolean).length;
  if (recent.length < LEAST_CHECKS || failures / recent.length < FLAPPING_RATIO) return undefined;
  return { failures, checks: recent.length };
}
