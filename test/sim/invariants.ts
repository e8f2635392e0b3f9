import { after, decidedOn, type Event, publishedOf, recordOf, type Setup, type World, wordsOf } from "./world.ts";

/** What must hold for every step of every world. Returns the rule that a step broke, as text, or undefined. */
export function brokenBy(before: World, event: Event, now: World, setup: Setup): string | undefined {
  const rules: Record<string, () => boolean> = {
    "DNS went from something to nothing": () => before.published.length === 0 || now.published.length > 0,
    "a Healthy or Unknown leaf is withheld": () => isGoodPublished(now),
    "a leaf that is not Unhealthy was withdrawn": () =>
      withdrawn(before, now).every((leaf) => verdict(now, leaf) === "Unhealthy"),
    "silence or a restart made a leaf Unhealthy": () =>
      event.type === "check" ||
      event.type === "quorum" ||
      now.leaves.every((_, leaf) => !turned(before, now, leaf, "Unhealthy")),
    "a leaf became Unhealthy without k fresh regions": () =>
      now.leaves.every(
        (_, leaf) => !turned(before, now, leaf, "Unhealthy") || freshAbove(now, leaf, setup) >= now.quorum,
      ),
    "a region that went silent restored what a fresh one calls unhealthy": () =>
      event.type !== "silence" ||
      now.leaves.every((_, leaf) => {
        const wasHeard = wordsOf(before, before.leaves[leaf]!)[event.region]?.freshness === "Fresh";
        return !wasHeard || !isContested(now, leaf) || !turnedFrom(before, now, leaf, "Unhealthy");
      }),
    "a restart changed something": () => event.type !== "restart" || sameOutcome(before, now),
    "an unproven leaf is Healthy": () =>
      now.leaves.every(({ standing }) => standing?.verdict !== "Healthy" || standing.provenAt !== undefined),
    "deciding again changed something": () => isSettled(now, setup),
  };
  return Object.keys(rules).find((rule) => rules[rule]?.() === false);
}

/** All live regions agree that all leaves are healthy: with Publish everything is published, whichever regions are dead. */
export function healed(world: World, live: readonly number[], setup: Setup): boolean {
  let now = world;
  for (let round = 0; round < setup.successThreshold; round += 1) {
    for (const [leaf, { isInRecord }] of world.leaves.entries()) {
      if (!isInRecord) continue;
      for (const region of live) now = after(now, { type: "check", leaf, region, outcome: "ok" }, setup);
    }
  }
  for (let region = 0; region < setup.regions; region += 1) {
    if (!live.includes(region)) now = after(now, { type: "silence", region }, setup);
  }
  const wanted = now.leaves.flatMap(({ isInRecord }, leaf) => (isInRecord ? [leaf] : []));
  return recordOf(now) === undefined || JSON.stringify(publishedOf(now)) === JSON.stringify(wanted);
}

const verdict = (world: World, leaf: number) => world.leaves[leaf]?.standing?.verdict;

const turned = (before: World, now: World, leaf: number, to: string) =>
  verdict(now, leaf) === to && verdict(before, leaf) !== to;

const turnedFrom = (before: World, now: World, leaf: number, from: string) =>
  verdict(before, leaf) === from && verdict(now, leaf) !== from;

function isGoodPublished(world: World): boolean {
  const published = publishedOf(world);
  return world.leaves.every(({ isInRecord, standing }, leaf) => {
    const isGood = standing?.verdict === "Healthy" || standing?.verdict === "Unknown";
    return !isInRecord || !isGood || published.includes(leaf);
  });
}

function withdrawn(before: World, now: World): number[] {
  const published = publishedOf(now);
  return publishedOf(before).filter((leaf) => now.leaves[leaf]?.isInRecord && !published.includes(leaf));
}

function freshAbove(world: World, leaf: number, setup: Setup): number {
  const words = wordsOf(world, world.leaves[leaf]!);
  return words.filter(({ freshness, counts }) => freshness === "Fresh" && counts.failures > setup.failureThreshold)
    .length;
}

function isContested(world: World, leaf: number): boolean {
  return wordsOf(world, world.leaves[leaf]!).some(
    ({ freshness, counts }) => freshness === "Fresh" && counts.says === "Unhealthy",
  );
}

function sameOutcome(before: World, now: World): boolean {
  const outcome = (world: World) =>
    JSON.stringify([world.leaves.map(({ standing }) => standing?.verdict ?? "Pending"), world.published]);
  return outcome(before) === outcome(now);
}

function isSettled(world: World, setup: Setup): boolean {
  return (
    decidedOn(world, setup) === world.published ||
    JSON.stringify(decidedOn(world, setup)) === JSON.stringify(world.published)
  );
}
