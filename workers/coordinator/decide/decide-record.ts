import type { LeafDecision } from "../../../shared/model/status.ts";
import { type Decision, decide } from "../../../shared/record/decide.ts";
import { keptLast } from "../../../shared/record/kept-last.ts";
import { bestOf, type LeafHealth } from "../../../shared/record/leaf-health.ts";
import { errorMessage } from "../../retry.ts";
import { alertOfDecision } from "../deliver/alerts.ts";
import type { CoordinatorState, ProbeState, Root } from "../state.ts";
import { addEvent } from "../store/events.ts";
import { markChanged } from "./roots.ts";

/** Decides one record again from its verdicts. The same verdicts give the same decision, which is not stored again. */
export function decideRoot(state: CoordinatorState, root: Root, nowMs: number): void {
  const decision = decisionOf(root);
  if (decision === undefined) return;
  root.claimed = [];
  const before = root.decision;
  const after = { endpoints: decision.endpoints, leaves: decision.leaves };
  if (before !== undefined && isSame(before, after)) return;
  root.decision = { ...after, decidedAt: nowMs, ...alertOfDecision(state, before, after.leaves, nowMs) };
  root.advisories = keptLast(decision.leaves);
  state.store.records.put(root.rootHost, root.decision);
  markChanged(state, root);
  const message = describeChange(before?.leaves ?? [], decision.leaves);
  addEvent(state.store.sql, { at: nowMs, type: "DecisionChanged", rootHost: root.rootHost, message });
}

/** A record whose decision fails keeps its last decision, and does not stop other records. */
function decisionOf(root: Root): Decision | undefined {
  try {
    return decide({
      endpoints: root.merged.endpoints,
      minPublished: root.merged.minPublished,
      leaves: leavesOf(root),
      wasPublished: [...(root.decision?.endpoints ?? []), ...root.claimed],
    });
  } catch (error) {
    console.error({ message: "cannot decide a record", rootHost: root.rootHost, error: errorMessage(error) });
    return undefined;
  }
}

function leavesOf(root: Root): Map<string, LeafHealth> {
  const byLeaf = Map.groupBy(root.probes.values(), ({ desired }) => desired.leaf);
  return new Map([...byLeaf].map(([leaf, probes]) => [leaf, bestOf(probes.map(healthOf))]));
}

function healthOf({ standing, regionStates }: ProbeState): LeafHealth {
  const successes = [...regionStates.values()].flatMap(({ succeededAt }) => succeededAt ?? []);
  return {
    verdict: standing?.verdict ?? "Pending",
    unhealthyRegions: [...regionStates.values()].filter(({ counts }) => counts.says === "Unhealthy").length,
    ...(successes.length > 0 && { latestSuccessAt: Math.max(...successes) }),
    proven: standing?.provenAt !== undefined,
  };
}

const isSame = (a: Pick<Decision, "endpoints" | "leaves">, b: Pick<Decision, "endpoints" | "leaves">) =>
  JSON.stringify([a.endpoints, a.leaves]) === JSON.stringify([b.endpoints, b.leaves]);

const MAX_LEAVES_NAMED = 10;

/** For example `203.0.113.10 withheld (UnhealthyWithheld), 198.51.100.20 published (KeptLast)`: the changes only. */
function describeChange(before: readonly LeafDecision[], after: readonly LeafDecision[]): string {
  const was = new Map(before.map((leaf) => [leaf.leaf, leaf]));
  const changed = after.filter(({ leaf, published, reason }) => {
    const old = was.get(leaf);
    return old?.published !== published || old.reason !== reason;
  });
  const kept = new Set(after.map(({ leaf }) => leaf));
  const changes = [
    ...changed.map(({ leaf, published, reason }) => `${leaf} ${published ? "published" : "withheld"} (${reason})`),
    ...before.filter(({ leaf }) => !kept.has(leaf)).map(({ leaf }) => `${leaf} gone`),
  ];
  const more = changes.length > MAX_LEAVES_NAMED ? [`${changes.length - MAX_LEAVES_NAMED} more`] : [];
  return [...changes.slice(0, MAX_LEAVES_NAMED), ...more].join(", ") || "endpoints changed, leaves unchanged";
}
