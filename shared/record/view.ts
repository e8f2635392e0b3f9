import type { MinPublished } from "../model/record.ts";
import type { LeafReason } from "../model/status.ts";
import type { LeafHealth } from "./leaf-health.ts";

/** One root of a record, as the steps of the decision see it. */
export type RootView = {
  /** All leaves below the root in the record as given. */
  leaves: readonly string[];
  /** Of every leaf; one that is absent has no health check. */
  health: ReadonlyMap<string, LeafHealth>;
  /** What was published below the root until now; leaves that the record no longer has are among them. */
  wasPublished: ReadonlySet<string>;
  minPublished: MinPublished;
};

/** The leaves to be published, each with the step that said so. No step changes the choice it is given. */
export type Choice = ReadonlyMap<string, LeafReason>;

/** The leaves that have a health check, and it. Only they count (docs/design/decision.md, step 5). */
export function probedLeaves(view: RootView): { leaf: string; health: LeafHealth }[] {
  return view.leaves.flatMap((leaf) => {
    const health = view.health.get(leaf);
    return health === undefined ? [] : [{ leaf, health }];
  });
}

/** The choice and more leaves, for one reason. */
export function adding(choice: Choice, leaves: readonly string[], reason: LeafReason): Choice {
  return new Map([...choice, ...leaves.map((leaf): [string, LeafReason] => [leaf, reason])]);
}
