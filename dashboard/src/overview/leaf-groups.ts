import type { LeafSummary } from "../../../shared/model/overview.ts";
import type { LeafReason } from "../../../shared/model/status.ts";

/** An address is in DNS, kept in DNS although unhealthy, or out of DNS. */
export type LeafPlace = "in" | "kept" | "out";

export const PLACE_WORDS: Record<LeafPlace, string> = { in: "in DNS", kept: "kept in DNS", out: "out of DNS" };

/** The reason of a decision, for reasons other than the regions' verdict. */
const BECAUSE: Record<LeafReason, string> = {
  Healthy: "",
  UnhealthyWithheld: "",
  KeptForMinPublished: "minPublished needs it",
  KeptLast: "nothing better is left",
  KeptForFamily: "the last of its address family",
  PendingWithheld: "not proven healthy yet",
  PendingPublished: "not judged yet",
  Unknown: "no region has word of it",
  NotProbed: "not probed",
};

export function placeOf({ published, reason }: LeafSummary): LeafPlace {
  if (!published) return "out";
  return reason.startsWith("Kept") ? "kept" : "in";
}

/** Whether an address needs a line of its own. A plain healthy one does not. */
export const isRemarkable = (leaf: LeafSummary): boolean =>
  placeOf(leaf) !== "in" ||
  leaf.against !== undefined ||
  leaf.reason === "Unknown" ||
  leaf.reason === "PendingPublished";

/** Addresses of one record that share place, reason and regions. */
export interface LeafGroup {
  leaves: string[];
  place: LeafPlace;
  /** `connect timeout`, `unhealthy; minPublished needs it`; empty for healthy addresses. */
  why: string;
  /** `2 of 3 regions (enam, weur)`, `all 3 regions`; empty without a dissenting region. */
  who: string;
  /**
   * The earliest start of this state, Unix ms. Undefined for a healthy address with a dissenting region, because that
   * start is not recorded.
   */
  since: number | undefined;
}

/** Groups addresses with the same place, reason and regions. Keeps their order. */
export function groupLeaves(leaves: readonly LeafSummary[]): LeafGroup[] {
  const stories = leaves.map((leaf) => ({
    leaves: [leaf.leaf],
    place: placeOf(leaf),
    why: whyOf(leaf),
    who: whoOf(leaf),
    since: leaf.against !== undefined && leaf.verdict === "Healthy" ? undefined : leaf.since,
  }));
  return [...Map.groupBy(stories, ({ place, why, who }) => [place, why, who].join("\n")).values()].flatMap((same) => {
    const times = same.flatMap(({ since }) => since ?? []);
    const since = times.length === 0 ? undefined : Math.min(...times);
    return same.slice(0, 1).map((first) => ({ ...first, leaves: same.flatMap((one) => one.leaves), since }));
  });
}

function whyOf({ reason, verdict, against }: LeafSummary): string {
  const saw = against?.saw.join(" or ") || (verdict === "Unhealthy" ? "unhealthy" : "");
  return [saw, BECAUSE[reason]].filter((text) => text !== "").join("; ");
}

function whoOf({ against }: LeafSummary): string {
  if (against === undefined) return "";
  const { regions, of } = against;
  if (regions.length === of) return of === 1 ? `the only region (${regions.join()})` : `all ${of} regions`;
  return `${regions.length} of ${of} regions (${regions.join(", ")})`;
}
