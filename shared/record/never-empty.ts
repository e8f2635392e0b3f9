import { adding, type Choice, type RootView } from "./view.ts";

/**
 * Step 3: if something was published, and neither that nor anything better would be left, all of the record's leaves stay. A
 * record of which nothing is published yet waits for its first Healthy or Unknown leaf. NXDOMAIN never follows from health. Asked
 * before proven leaves come back: one that fails is not to stand alone for new ones that nobody has tried.
 */
export function neverEmpty(view: RootView, choice: Choice): Choice {
  if (choice.size > 0 || view.wasPublished.size === 0) return choice;
  return adding(choice, view.leaves, "KeptLast");
}
