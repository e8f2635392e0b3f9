import type { LeafSummary } from "../../../shared/model/overview.ts";
import type { LeafReason } from "../../../shared/model/status.ts";

/** Whether an address is in DNS, is kept there although it is unhealthy, or is not in it. */
export type LeafPlace = "in" | "kept" | "out";

export const PLACE_WORDS: Record<LeafPlace, string> = { in: "in DNS", kept: "kept in DNS", out: "out of DNS" };

/** What the decision has to say where it is not simply that the regions find it healthy or not. */
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

/** Whether there is more to say of an address than that it is in DNS. */
export const isRemarkable = (leaf: LeafSummary): boolean =>
  placeOf(leaf) !== "in" ||
  leaf.against !== undefined ||
  leaf.reason === "Unknown" ||
  leaf.reason === "PendingPublished";

/** Addresses of one record of which the same is to be said. */
export interface LeafGroup {
  leaves: string[];
  place: LeafPlace;
  /** `connect timeout`, `unhealthy; minPublished needs it`; empty where they are just healthy. */
  why: string;
  /** `2 of 3 regions (enam, weur)`, `all 3 regions`; empty while none says anything against them. */
  who: string;
  /** Since when the first of them is so, Unix ms. Of what a region says against a healthy one nobody knows since when. */
  since: number | undefined;
}

/** Puts together what is the same of several addresses, in their order. */
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
