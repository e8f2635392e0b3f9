import { MAX_SHARD_PROBES } from "../../../shared/model/messages/assignment.ts";

/** How one probe asks its leaf, from all of its regions together. */
export interface ProbeRate {
  id: string;
  regions: number;
  intervalMs: number;
  confirmIntervalMs: number;
}

/** What may be asked of one leaf. */
export interface Allocation {
  /** The probes that find no room, with the requests a second that those before them make (to a tenth). */
  refused: ReadonlyMap<string, number>;
  /** All intervals of confirmation are this many times as long as wished: 1, 2, 4 … */
  factor: number;
  /** Whether regions may be asked to look at once: then those of many probes ask in the same second. */
  mayLook: boolean;
}

/** Requests in a second are above their average by more than so many standard deviations less than once in some hundred seconds. */
const DEVIATIONS = 3;
/** Rates are sums of fractions. */
const ROUNDING = 1e-9;

/**
 * Shares out the requests a second to one leaf: the askings are taken in their order as long as their turns fit, and those
 * taken confirm so much less often that they stay within the limit also when all of them confirm at once.
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

/** In steps that double, so that what is assigned seldom changes. At the last of them nobody confirms any more. */
function factorFor(taken: readonly ProbeRate[], limitPerS: number): number {
  let factor = 1;
  while (taken.some((asking) => slowed(asking, factor) !== undefined)) {
    if (peakRate(taken, factor, limitPerS) <= limitPerS + ROUNDING) return factor;
    factor *= 2;
  }
  return factor;
}

/** Whether all may ask in the same second. */
function fitsInOneSecond(taken: readonly ProbeRate[], limitPerS: number): boolean {
  return taken.reduce((sum, { regions }) => sum + regions, 0) <= limitPerS;
}

/**
 * Requests in a busy second while all of them confirm. Where more could fall into one second than the limit, they come as
 * batches at any times: a shard in one region asks for all of its probes together.
 */
export function peakRate(taken: readonly ProbeRate[], factor: number, limitPerS: number): number {
  const meanPerS = taken.reduce((sum, asking) => sum + busiestRate(asking, factor), 0);
  if (fitsInOneSecond(taken, limitPerS)) return meanPerS;
  const batch = Math.min(taken.length, MAX_SHARD_PROBES);
  return meanPerS + DEVIATIONS * Math.sqrt(meanPerS * batch);
}

/** The interval of confirmations in ms, or undefined where turns come as often: then there are none. */
export function slowed(
  { intervalMs, confirmIntervalMs }: Omit<ProbeRate, "id" | "regions">,
  factor: number,
): number | undefined {
  const slowedMs = confirmIntervalMs * factor;
  return slowedMs < intervalMs ? slowedMs : undefined;
}

/** Requests a second while all is as it was: each region has its turn once an interval. */
export function regularRate({ regions, intervalMs }: ProbeRate): number {
  return (regions * 1000) / intervalMs;
}

/** The most that it asks for long: besides the turns, checks in between that never follow sooner than a confirmation would. */
export function busiestRate(asking: ProbeRate, factor: number): number {
  const confirmMs = slowed(asking, factor);
  return regularRate(asking) + (confirmMs === undefined ? 0 : (asking.regions * 1000) / confirmMs);
}
