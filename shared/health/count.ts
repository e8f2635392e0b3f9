import type { Counts, Word } from "../model/probe.ts";
import type { Outcome } from "../reason.ts";
import { failuresToUnhealthy, isHealthyAt, isUnhealthyAt, type Thresholds } from "./threshold.ts";

/** A probe that was never asked, or whose target or expectation has changed. */
export const NO_COUNTS: Counts = { failures: 0, successes: 0, says: "Pending" };

/**
 * Counts one outcome of one probe in one region (docs/design/health.md, counting). A failure of the prober itself changes
 * nothing.
 */
export function count(counts: Counts, outcome: Outcome, thresholds: Thresholds): Counts {
  switch (outcome) {
    case "ok":
      return reassess({ failures: 0, successes: counts.successes + 1, says: counts.says }, thresholds);
    case "failed":
      return reassess({ failures: counts.failures + 1, successes: 0, says: counts.says }, thresholds);
    case "indeterminate":
      return counts;
  }
}

/** Applies thresholds, new ones too, to the counts as they stand; in between a region says what it said. */
export function reassess(counts: Counts, thresholds: Thresholds): Counts {
  return { ...counts, says: wordOf(counts, thresholds) };
}

/** What is worth storing: counts beyond the thresholds say nothing more, so a steady round writes nothing. */
export function saturate(counts: Counts, thresholds: Thresholds): Counts {
  return {
    failures: Math.min(counts.failures, failuresToUnhealthy(thresholds)),
    successes: Math.min(counts.successes, thresholds.successThreshold),
    says: counts.says,
  };
}

function wordOf(counts: Counts, thresholds: Thresholds): Word {
  if (isUnhealthyAt(counts.failures, thresholds)) return "Unhealthy";
  if (isHealthyAt(counts.successes, thresholds)) return "Healthy";
  return counts.says;
}
