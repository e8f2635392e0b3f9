import { leastBadFirst } from "./leaf-health.ts";
import { minPublishedOf } from "./min-published.ts";
import { adding, type Choice, probedLeaves, type RootView } from "./view.ts";

/**
 * Step 2, first half. While fewer than `minPublished` leaves are Healthy, the least bad published Unhealthy ones stay to reach
 * it. While no leaf is Healthy, all published ones stay. Nothing but Healthy counts.
 */
export function keepFloor(view: RootView, choice: Choice): Choice {
  const probed = probedLeaves(view);
  const healthy = probed.filter(({ health }) => health.verdict === "Healthy").length;
  const unhealthy = probed.filter(({ leaf, health }) => health.verdict === "Unhealthy" && view.wasPublished.has(leaf));
  const candidates = leastBadFirst(
    unhealthy.map(({ leaf }) => leaf),
    view.health,
  );
  if (healthy === 0) return adding(choice, candidates, "KeptLast");
  const missing = Math.max(0, minPublishedOf(view.minPublished, probed.length) - healthy);
  return adding(choice, candidates.slice(0, missing), "KeptForMinPublished");
}

/**
 * Step 2, second half: if fewer than `minPublished` are published then, withheld leaves that were proven once come
 * back, the least bad first. Where nothing is published yet there is nothing to come back to.
 */
export function returnProven(view: RootView, choice: Choice): Choice {
  if (choice.size === 0) return choice;
  const probed = probedLeaves(view);
  const published = probed.filter(({ leaf }) => choice.has(leaf)).length;
  const withheld = probed.filter(({ leaf, health }) => health.proven && !choice.has(leaf));
  const candidates = leastBadFirst(
    withheld.map(({ leaf }) => leaf),
    view.health,
  );
  const missing = Math.max(0, minPublishedOf(view.minPublished, probed.length) - published);
  return adding(choice, candidates.slice(0, missing), "KeptForMinPublished");
}
