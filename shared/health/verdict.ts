import type { Counts } from "../model/probe.ts";
import type { WhenSilent } from "../model/record.ts";
import type { Region } from "../model/region.ts";
import type { Verdict } from "../model/status.ts";
import type { Freshness } from "./freshness.ts";
import { isHealthyAt, isUnhealthyAt, type Thresholds } from "./threshold.ts";

/** One region's last counts for a probe, and how fresh they are. */
export type RegionWord = { region: Region; freshness: Freshness; counts: Counts };

/** What is stored of a probe. Times in Unix ms; `provenAt` is lost only with the target. */
export type Standing = { verdict: Verdict; since: number; provenAt?: number };

export type Policy = Thresholds & {
  /** k, as a number: see `quorumSize`. */
  quorum: number;
  whenSilent: WhenSilent;
};

/**
 * What all configured regions together say of a probe (docs/design/health.md, verdict). `before` is what was said until now,
 * undefined for a new probe. Only words and their freshness count: the same input gives the same verdict at any time.
 */
export function judge(
  before: Standing | undefined,
  regions: readonly RegionWord[],
  policy: Policy,
  nowMs: number,
): Standing {
  const provenAt = before?.provenAt ?? (isProvenNow(regions, policy) ? nowMs : undefined);
  const verdict = verdictOf(before?.verdict ?? "Pending", provenAt !== undefined, regions, policy);
  const since = before !== undefined && before.verdict === verdict ? before.since : nowMs;
  return { verdict, since, ...(provenAt !== undefined && { provenAt }) };
}

/**
 * The k-th largest count of failures of the fresh regions, others counting 0. It is above `failureThreshold` exactly
 * when at least k fresh regions are, in one region as in nine.
 */
export function consecutiveFailures(regions: readonly RegionWord[], quorum: number): number {
  const failures = fresh(regions).map(({ counts }) => counts.failures);
  return failures.sort((a, b) => b - a)[quorum - 1] ?? 0;
}

/** The five clauses, in their order: the first that fits. */
function verdictOf(before: Verdict, isProven: boolean, regions: readonly RegionWord[], policy: Policy): Verdict {
  if (isUnhealthyAt(consecutiveFailures(regions, policy.quorum), policy)) return "Unhealthy";
  if (fresh(regions).length === 0) return whenNoneIsFresh(before, regions, policy);
  if ((before === "Unhealthy" || before === "Unknown") && !isReleased(regions, policy)) return before;
  return isProven ? "Healthy" : "Pending";
}

function whenNoneIsFresh(before: Verdict, regions: readonly RegionWord[], policy: Policy): Verdict {
  const isAwaited = regions.some(({ freshness }) => freshness === "Awaited");
  return isAwaited || policy.whenSilent === "Freeze" ? before : "Unknown";
}

/**
 * Clause 3: whether an Unhealthy or Unknown probe may be called something better. With `Publish`, no region that is
 * fresh or still awaited may have called it unhealthy last. Otherwise the first dissenter to report after a gap decides
 * for all regions.
 */
function isReleased(regions: readonly RegionWord[], policy: Policy): boolean {
  if (!fresh(regions).some((word) => isAtSuccess(word, policy))) return false;
  if (regions.filter(maySayUnhealthy).length < policy.quorum) return true;
  return policy.whenSilent === "Publish" && !regions.some((word) => word.freshness !== "Silent" && saysUnhealthy(word));
}

/** Clause 4: whether enough regions stand at `successThreshold` at the same time. */
function isProvenNow(regions: readonly RegionWord[], policy: Policy): boolean {
  const heard = policy.whenSilent === "Freeze" ? regions : regions.filter(({ freshness }) => freshness !== "Silent");
  const needed = Math.max(1, heard.length - policy.quorum + 1);
  return fresh(regions).filter((word) => isAtSuccess(word, policy)).length >= needed;
}

const fresh = (regions: readonly RegionWord[]) => regions.filter(({ freshness }) => freshness === "Fresh");

const isAtSuccess = ({ counts }: RegionWord, policy: Policy) => isHealthyAt(counts.successes, policy);

const saysUnhealthy = ({ counts }: RegionWord) => counts.says === "Unhealthy";

/** A silent region stands by its last word; an awaited one is taken as if it called the probe unhealthy. */
const maySayUnhealthy = (word: RegionWord) => word.freshness === "Awaited" || saysUnhealthy(word);
