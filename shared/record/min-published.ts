import type { MinPublished } from "../model/record.ts";

/** `minPublished` as a number of leaves. A percentage is rounded up, as Kubernetes does for `minAvailable`. */
export function minPublishedOf(minPublished: MinPublished, leaves: number): number {
  if (typeof minPublished === "number") return minPublished;
  return Math.ceil((Number.parseInt(minPublished, 10) * leaves) / 100);
}
