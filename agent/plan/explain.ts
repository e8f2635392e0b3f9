import type { Endpoint } from "../../shared/model/endpoint.ts";
import type { DeliveredRecord } from "../edge/delivered.ts";
import type { HostChange } from "./plan-hosts.ts";

/** A change that reached DNS: added and removed targets, and the reason as text. */
export interface Published {
  rootHost: string;
  /** Unix ms */
  at: number;
  added: string[];
  removed: string[];
  /** What is in DNS now; empty where the host is no longer served. */
  endpoints: readonly Endpoint[];
  why: string;
}

/** Says what a change did and why: by the decision where the edge made it, else by what else made it. */
export function explain(change: HostChange, delivered: DeliveredRecord | undefined, nowMs: number): Published {
  const [before, after] = [targetsOf(change.before), targetsOf(change.after)];
  const added = [...after].filter((target) => !before.has(target)).sort();
  const removed = [...before].filter((target) => !after.has(target)).sort();
  return {
    rootHost: change.rootHost,
    at: nowMs,
    added,
    removed,
    endpoints: change.after ?? [],
    why: whyOf(change, [...added, ...removed], delivered),
  };
}

/** `api.example.com: -127.0.0.12 (127.0.0.12 UnhealthyWithheld: enam, weur ConnectFailed); now 127.0.0.11, 127.0.0.13` */
export function formatPublished({ rootHost, added, removed, endpoints, why }: Published): string {
  const signs = [...added.map((target) => `+${target}`), ...removed.map((target) => `-${target}`)].join(" ");
  const now = [...targetsOf(endpoints)].sort().join(", ");
  if (signs === "" && now === "") return `${rootHost}: nothing is published until a leaf is proven healthy`;
  return `${rootHost}: ${signs || "same targets"} (${why}); now ${now || "nothing"}`;
}

function targetsOf(endpoints: readonly Endpoint[] = []): Set<string> {
  return new Set(endpoints.flatMap(({ targets }) => targets));
}

function whyOf({ basis }: HostChange, changed: readonly string[], delivered: DeliveredRecord | undefined): string {
  switch (basis) {
    case "Removed":
      return "no record names this host any more";
    case "Fallback":
      return "the edge is silent, and all is published";
    case "Frozen":
      return "the edge is silent, and its last decision holds";
    case "Held":
    case "Undecided":
      return "the records changed";
    case "Decision":
      return changed.map((leaf) => leafWhy(leaf, delivered)).join("; ") || "the edge decided it";
  }
}

function leafWhy(leaf: string, delivered: DeliveredRecord | undefined): string {
  const decision = delivered?.leaves.find((one) => one.leaf === leaf);
  if (decision === undefined) return `${leaf} left the records`;
  const probe = delivered?.probes.find((one) => one.leaf === leaf && one.verdict === "Unhealthy");
  const regions = (probe?.regions ?? []).filter(({ counts }) => counts.says === "Unhealthy");
  const reasons = new Set(regions.flatMap(({ observation }) => observation?.reason ?? []));
  const seen =
    regions.length === 0 ? "" : `: ${regions.map(({ region }) => region).join(", ")} ${[...reasons].join("/")}`;
  return `${leaf} ${decision.reason}${seen}`;
}
