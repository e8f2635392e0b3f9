import { MAX_SHARD_PROBES } from "../../../shared/model/messages/assignment.ts";

/** How often one probe requests its leaf, from all of its regions together. */
export interface ProbeRate {
  id: string;
  regions: number;
  intervalMs: number;
  confirmIntervalMs: number;
}

/** The probes and intervals that the request limit of one leaf allows. */
export interface Allocation {
  /** Probes beyond the limit, with the requests per second of the probes before them, rounded to a tenth. */
  refused: ReadonlyMap<string, number>;
  /** Factor on all confirmation intervals: 1, 2, 4 … */
  factor: number;
  /** Whether regions may be asked to recheck at once, when many probes send requests in the same second. */
  mayLook: boolean;
}

/**
 * Requests in one second exceed their mean by more than this many standard deviations less than once in about 100
 * seconds.
 */
const DEVIATIONS = 3;
/** Tolerance for sums of fractions. */
const ROUNDING = 1e-9;

/**
 * Allocates the requests per second to one leaf. Probes are admitted in order while their regular rounds fit.
 * Admitted probes confirm less often, so that they stay within the limit even if all confirm at once.
 */
export function allocate(askings: readonly ProbeRate[], limitPerS: number): Allocation {
  const refused = new Map<string, number>();
  const taken: ProbeRate[] = [];
  let sumPerS = 0;
  for (const asking of askings) {
    const ratePerS = regularRate(asking);
    if (sumPerS + ratePerS > limitPerS + ROUNDING) {
      refused.set(asking.id, Math.round(sumPerS * 10) / 10);
      continue;
    }
    sumPerS += ratePerS;
    taken.push(asking);
  }
  return { refused, factor: factorFor(taken, limitPerS), mayLook: fitsInOneSecond(taken, limitPerS) };
}

/** The factor doubles in each step, so that assignments seldom change. At the last step, no probe confirms any more. */
function factorFor(taken: readonly ProbeRate[], limitPerS: number): number {
  let factor = 1;
  while (taken.some((asking) => slowed(asking, factor) !== undefined)) {
    if (peakRate(taken, factor, limitPerS) <= limitPerS + ROUNDING) return factor;
    factor *= 2;
  }
  return factor;
}

/** Whether all probes may send requests in the same second. */
function fitsInOneSecond(taken: readonly ProbeRate[], limitPerS: number): boolean {
  return taken.reduce((sum, { regions }) => sum + regions, 0) <= limitPerS;
}

/**
 * Requests in a busy second while all probes confirm. If more than the limit could fall into one second, they arrive as
 * random batches. A shard in one region sends the requests of all its probes together.
 */
export function peakRate(taken: readonly ProbeRate[], factor: number, limitPerS: number): number {
  const meanPerS = taken.reduce((sum, asking) => sum + busiestRate(asking, factor), 0);
  if (fitsInOneSecond(taken, limitPerS)) return meanPerS;
  const batch = Math.min(taken.length, MAX_SHARD_PROBES);
  return meanPerS + DEVIATIONS * Math.sqrt(meanPerS * batch);
}

/**
 * The interval of confirmations in ms; undefined if it is not below the regular interval, so that there are no
 * confirmations.
 */
export function slowed(
  { intervalMs, confirmIntervalMs }: Omit<ProbeRate, "id" | "regions">,
  factor: number,
): number | undefined {
  const slowedMs = confirmIntervalMs * factor;
  return slowedMs < intervalMs ? slowedMs : undefined;
}

/** Requests per second in the steady state: one per region and interval. */
export function regularRate({ regions, intervalMs }: ProbeRate): number {
  return (regions * 1000) / intervalMs;
}

/** The highest sustained rate: regular rounds plus checks in between, which are never closer than confirmations. */
export function busiestRate(asking: ProbeRate, factor: number): number {
  const confirmMs = slowed(asking, factor);
  return regularRate(asking) + (confirmMs === undefined ? 0 : (asking.regions * 1000) / confirmMs);
}
