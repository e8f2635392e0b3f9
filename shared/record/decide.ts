import type { Endpoint } from "../model/endpoint.ts";
import { formatFieldError } from "../model/field-error.ts";
import type { MinPublished } from "../model/record.ts";
import type { LeafDecision, LeafReason } from "../model/status.ts";
import { keepFamilies } from "./families.ts";
import { keepFloor, returnProven } from "./floor.ts";
import { keep } from "./keep.ts";
import type { LeafHealth } from "./leaf-health.ts";
import { type EndpointsByName, groupByName, leavesBelow } from "./names.ts";
import { neverEmpty } from "./never-empty.ts";
import { prune } from "./prune.ts";
import { type RecordTree, readTree } from "./tree.ts";
import type { Choice, RootView } from "./view.ts";

export type DecisionInput = {
  /** All clusters' shares of one root host, merged, as given: never the pruned ones. */
  endpoints: readonly Endpoint[];
  minPublished: MinPublished;
  /** By leaf. One that is absent has no health check: it is published and does not count. */
  leaves: ReadonlyMap<string, LeafHealth>;
  /**
   * What is in DNS until now: the last decision's endpoints, or what the clusters report. Whole endpoints, since a leaf may be
   * published at one root and withheld at another.
   */
  wasPublished: readonly Endpoint[];
};

export type Decision = {
  /** What is to be in DNS, sorted, targets sorted and unique. */
  endpoints: Endpoint[];
  /** Every leaf of the record, sorted, with the reason. */
  leaves: LeafDecision[];
  /** The leaves that are published, sorted. */
  published: string[];
};

/**
 * Which endpoints of one record are to be published, and why (docs/design/decision.md). Throws where `readTree` refuses the
 * endpoints. Applied to its own outcome it changes nothing.
 */
export function decide(input: DecisionInput): Decision {
  const reading = readTree(input.endpoints);
  if (!reading.ok) throw new Error(`not a record: ${reading.errors.map(formatFieldError).join("; ")}`);
  let decision = decideOnce(reading.tree, input, input.wasPublished);
  // The reasons settle once the returning leaves are published. Two roots may share a name. A leaf that one root brings back
  // through it is published at the other too, and may be better than what was kept there.
  for (;;) {
    const next = decideOnce(reading.tree, input, decision.endpoints);
    if (isSame(next.endpoints, decision.endpoints)) return next;
    decision = next;
  }
}

function decideOnce(tree: RecordTree, input: DecisionInput, wasPublished: readonly Endpoint[]): Decision {
  const before = groupByName(wasPublished);
  const choices = new Map(tree.roots.map((root) => [root, chooseBelow(root, tree, input, before)]));
  const endpoints = prune(tree, new Map([...choices].map(([root, choice]) => [root, new Set(choice.keys())])));
  const leaves = tree.leaves.map((leaf) => decisionOf(leaf, [...choices.values()], input.leaves));
  return { endpoints, leaves, published: leaves.filter(({ published }) => published).map(({ leaf }) => leaf) };
}

/** Steps 1 to 3 for one root, and the families of the names below it. */
function chooseBelow(root: string, tree: RecordTree, input: DecisionInput, before: EndpointsByName): Choice {
  const view: RootView = {
    leaves: leavesBelow(root, tree.byName),
    health: input.leaves,
    wasPublished: new Set(leavesBelow(root, before)),
    minPublished: input.minPublished,
  };
  const kept = neverEmpty(view, keepFloor(view, keep(view)));
  return keepFamilies(view, root, tree.byName, returnProven(view, kept));
}

function decisionOf(leaf: string, choices: readonly Choice[], health: ReadonlyMap<string, LeafHealth>): LeafDecision {
  for (const choice of choices) {
    const reason = choice.get(leaf);
    if (reason !== undefined) return { leaf, published: true, reason };
  }
  const withheld: LeafReason = health.get(leaf)?.verdict === "Pending" ? "PendingWithheld" : "UnhealthyWithheld";
  return { leaf, published: false, reason: withheld };
}

function isSame(a: readonly Endpoint[], b: readonly Endpoint[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
