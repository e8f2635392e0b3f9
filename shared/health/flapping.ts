import type { Counts } from "../model/probe.ts";
import type { Outcome } from "../reason.ts";

/**
 * The last completed checks of one probe in one region since it last said unhealthy, oldest first; true is a failure. Those of
 * an outage did count, and are no flapping once it is over.
 */
export type Recent = readonly boolean[];

const WINDOW_CHECKS = 20;
const LEAST_CHECKS = 10;
const FLAPPING_RATIO = 0.2;

/** Adds an outcome, with what the region says from it on. Trouble of our own is no completed check. */
export function remember(recent: Recent, outcome: Outcome, says: Counts["says"]): Recent {
  if (says === "Unhealthy") return [];
  if (outcome === "indeterminate") return recent;
  return [...recent, outcome === "failed"].slice(-WINDOW_CHECKS);
}

/** Failures among the window's checks, where they are enough to speak of and too many to pass over. */
export function flappingOf(recent: Recent): { failures: number; checks: number } | undefined {
  const failures = recent.filter(Boolean).length;
  if (recent.length < LEAST_CHECKS || failures / recent.length < FLAPPING_RATIO) return undefined;
  return { failures, checks: recent.length };
}
