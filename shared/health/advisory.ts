import type { Advisory } from "../model/status.ts";
import { flappingOf, type Recent } from "./flapping.ts";
import type { Policy, RegionWord, Standing } from "./verdict.ts";

export type AdvisedRegion = RegionWord & {
  /** Since when the region says what it says, Unix ms, where that is known. */
  saysSince?: number;
  recent: Recent;
};

/**
 * What a person should know beside the verdict, which it never changes (docs/design/health.md, advisories). Messages hold exact
 * counts: compare with {@link isSameAdvice} before anything is written or sent because of them.
 */
export function probeAdvisories(standing: Standing, regions: readonly AdvisedRegion[], policy: Policy): Advisory[] {
  const fresh = regions.filter(({ freshness }) => freshness === "Fresh");
  return [
    ...fresh.flatMap((region) => dissent(standing, region)),
    ...(standing.verdict === "Unhealthy" ? [] : fresh.flatMap(flapping)),
    ...insufficientFreshRegions(regions, policy.quorum),
  ];
}

/** Whether two lists advise the same of the same regions since the same time, whatever the counts in their words. */
export function isSameAdvice(a: readonly Advisory[], b: readonly Advisory[]): boolean {
  const gist = (advisories: readonly Advisory[]) =>
    JSON.stringify(advisories.map(({ type, regions, since }) => [type, regions, since]));
  return gist(a) === gist(b);
}

function dissent(standing: Standing, region: AdvisedRegion): Advisory[] {
  const { says, failures, successes } = region.counts;
  const isAgainst =
    (standing.verdict === "Healthy" && says === "Unhealthy") ||
    (standing.verdict === "Unhealthy" && says === "Healthy");
  if (!isAgainst) return [];
  const since = Math.max(standing.since, region.saysSince ?? 0);
  const often = says === "Unhealthy" ? `${failures} failed checks in a row` : `${successes} good checks in a row`;
  const message = `${region.region} says ${says} since ${time(since)} (${often}); the verdict is ${standing.verdict}`;
  return [{ type: "Dissent", message, regions: [region.region], since }];
}

function flapping(region: AdvisedRegion): Advisory[] {
  const ratio = region.counts.says === "Unhealthy" ? undefined : flappingOf(region.recent);
  if (ratio === undefined) return [];
  const message = `${ratio.failures} of the last ${ratio.checks} checks from ${region.region} failed, never enough in a row to count`;
  return [{ type: "Flapping", message, regions: [region.region] }];
}

/** Regions that are only awaited are no cause for alarm: a start or an edit would raise it every time. */
function insufficientFreshRegions(regions: readonly AdvisedRegion[], quorum: number): Advisory[] {
  const silent = regions.filter(({ freshness }) => freshness === "Silent").map(({ region }) => region);
  const heard = regions.length - silent.length;
  if (silent.length === 0 || heard >= quorum) return [];
  const message = `${heard} of ${regions.length} regions can be heard, and ${quorum} have to agree before the endpoint is withdrawn`;
  return [{ type: "InsufficientFreshRegions", message, regions: silent }];
}

const time = (unixMs: number) => new Date(unixMs).toISOString();
