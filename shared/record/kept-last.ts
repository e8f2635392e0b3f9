import type { Advisory, LeafDecision } from "../model/status.ts";

/** Tells why leaves that fail are published all the same (docs/design/health.md, advisories). */
export function keptLast(leaves: readonly LeafDecision[]): Advisory[] {
  const kept = leaves.filter(({ reason }) => reason === "KeptLast").map(({ leaf }) => leaf);
  if (kept.length === 0) return [];
  return [{ type: "KeptLast", message: `no leaf is Healthy, so the last ones stay published: ${kept.join(", ")}` }];
}
