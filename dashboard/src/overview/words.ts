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

/** Why an address is where it is: `connect timeout`, `unhealthy; minPublished needs it`. Empty where it is just healthy. */
export function whyOf({ reason, verdict, against }: LeafSummary): string {
  const saw = against?.saw.join(" or ") || (verdict === "Unhealthy" ? "unhealthy" : "");
  return [saw, BECAUSE[reason]].filter((text) => text !== "").join("; ");
}

/** Who says so: `2 of 3 regions (enam, weur)`. */
export function whoSays({ regions, of }: NonNullable<LeafSummary["against"]>): string {
  return `${regions.length} of ${of} ${of === 1 ? "region" : "regions"} (${regions.join(", ")})`;
}
