import type { Verdict } from "../model/status.ts";

/** What the decision has to know of a leaf. */
export type LeafHealth = {
  verdict: Verdict;
  /** Regions that say unhealthy. */
  unhealthyRegions: number;
  /** The last success in any region, Unix ms. */
  latestSuccessAt?: number;
  /** Whether it was ever found in order (docs/design/health.md, verdict, clause 4). */
  proven: boolean;
};

const BEST_FIRST: readonly Verdict[] = ["Healthy", "Unknown", "Pending", "Unhealthy"];

/** The best verdict among the probes of one leaf; undefined without probes. */
export function bestVerdict(probes: readonly { verdict: Verdict }[]): Verdict | undefined {
  return BEST_FIRST.find((verdict) => probes.some((probe) => probe.verdict === verdict));
}

/** A leaf that several probes ask is as good as its best verdict (docs/design/decision.md, shares), whatever their order. */
export function bestOf(probes: readonly LeafHealth[]): LeafHealth {
  const verdict = bestVerdict(probes);
  if (verdict === undefined) throw new TypeError("bestOf: a leaf without probes has no health");
  const best = probes.filter((probe) => probe.verdict === verdict);
  const successes = probes.flatMap(({ latestSuccessAt }) => latestSuccessAt ?? []);
  return {
    verdict,
    unhealthyRegions: Math.min(...best.map(({ unhealthyRegions }) => unhealthyRegions)),
    ...(successes.length > 0 && { latestSuccessAt: Math.max(...successes) }),
    proven: probes.some(({ proven }) => proven),
  };
}

/**
 * Orders leaves from the least bad: fewest unhealthy regions, then the latest success, then the address. Leaves
 * without health do not occur where this is asked.
 */
export function leastBadFirst(leaves: readonly string[], health: ReadonlyMap<string, LeafHealth>): string[] {
  return leaves.toSorted((a, b) => badness(a, b, health));
}

function badness(a: string, b: string, health: ReadonlyMap<string, LeafHealth>): number {
  const [healthA, healthB] = [health.get(a), health.get(b)];
  return (
    (healthA?.unhealthyRegions ?? 0) - (healthB?.unhealthyRegions ?? 0) ||
    (healthB?.latestSuccessAt ?? 0) - (healthA?.latestSuccessAt ?? 0) ||
    (a < b ? -1 : 1)
  );
}
