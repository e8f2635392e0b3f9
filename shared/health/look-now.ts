import type { Counts, Word } from "../model/probe.ts";
import type { Region } from "../model/region.ts";
import { isUnsettled } from "./confirm.ts";
import type { RegionWord } from "./verdict.ts";

/**
 * Whether a region has just begun to say something else of a probe than it said: with this report, and not before. A region
 * that said nothing yet differs from nothing.
 */
export function hasBegunToDiffer(before: Counts, after: Counts): boolean {
  if (before.says === "Pending" || isUnsettled(before)) return false;
  return isUnsettled(after) || after.says !== before.says;
}

/** What a region said of a probe before it began to differ, and the check by which it did, Unix ms. */
export type Beginning = { region: Region; said: Word; checkedAt: number };

/** What another region says, when it has looked last (Unix ms), and whether it was asked to look again and has not yet. */
export type Other = RegionWord & { checkedAt: number | undefined; isAsked: boolean };

/**
 * The regions that have to check at once. They still report what this region reported, are not unsettled, and have
 * completed no check since. A silent region is not asked, nor one that was asked already.
 */
export function regionsToAsk({ region, said, checkedAt }: Beginning, words: readonly Other[]): Region[] {
  return words.flatMap((word) => {
    const isSure = word.counts.says === said && !isUnsettled(word.counts);
    const isBehind = (word.checkedAt ?? 0) < checkedAt && !word.isAsked;
    return word.region !== region && word.freshness !== "Silent" && isSure && isBehind ? [word.region] : [];
  });
}
