import type { LeafReason } from "../model/status.ts";
import type { Choice, RootView } from "./view.ts";

/** Step 1: Healthy and Unknown leaves, Pending ones that are published already, and those without a health check. */
export function keep(view: RootView): Choice {
  const choice = new Map<string, LeafReason>();
  for (const leaf of view.leaves) {
    const reason = reasonToKeep(leaf, view);
    if (reason !== undefined) choice.set(leaf, reason);
  }
  return choice;
}

function reasonToKeep(leaf: string, view: RootView): LeafReason | undefined {
  switch (view.health.get(leaf)?.verdict) {
    case undefined:
      return "NotProbed";
    case "Healthy":
      return "Healthy";
    case "Unknown":
      return "Unknown";
    case "Pending":
      return view.wasPublished.has(leaf) ? "PendingPublished" : undefined;
    case "Unhealthy":
      return undefined;
  }
}
