import { adding, type Choice, type RootView } from "./view.ts";

/**
 * Step 3: where something was published and nothing of it would be left, nor anything better, all of the record's
 * leaves are. A record of which nothing is published yet waits for its first Healthy or Unknown leaf. NXDOMAIN never
 * follows from health. Asked before proven leaves come back: one that fails is not to stand alone for new ones that
 * nobody has tried.
 */
export function neverEmpty(view: RootView, choice: Choice): Choice {
  if (choice.size > 0 || view.wasPublished.size === 0) return choice;
  return adding(choice, view.leaves, "KeptLast");
}
