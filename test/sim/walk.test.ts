import { describe, expect, it } from "vitest";
import { brokenBy, healed } from "./invariants.ts";
import { after, type Event, eventsOf, newWorld, type Setup, type World } from "./world.ts";

/*
 * The model check: every state that a small world can reach, and from each of them every event, over the real rules.
 * What is found is printed as the story that leads there.
 */
type Found = { rule: string; story: string[] };
type Walk = { states: number; steps: number; found?: Found };

const SMALL = {
  failureThreshold: 0,
  successThreshold: 1,
  whenSilent: "Publish",
  minPublished: 1,
  events: ["check", "silence", "restart", "edit"],
} satisfies Partial<Setup>;

/** Breadth first, so that the story found is a shortest one. Ends after `limit` states. */
function walk(setup: Setup, limit = Number.POSITIVE_INFINITY): Walk {
  const start = newWorld(setup);
  const seen = new Map<string, { world: World; from?: string; event?: Event }>([[key(start), { world: start }]]);
  const events = eventsOf(setup);
  let steps = 0;
  const story = (to: string): string[] => {
    const { from, event } = seen.get(to) ?? {};
    return from === undefined || event === undefined ? [] : [...story(from), JSON.stringify(event)];
  };
  for (const [here, { world }] of seen) {
    if (!recovers(world, setup))
      return { states: seen.size, steps, found: { rule: "not all came back", story: story(here) } };
    for (const event of events) {
      steps += 1;
      const next = after(world, event, setup);
      const rule = brokenBy(world, event, next, setup);
      if (rule !== undefined)
        return { states: seen.size, steps, found: { rule, story: [...story(here), JSON.stringify(event)] } };
      const there = key(next);
      if (seen.size < limit && !seen.has(there)) seen.set(there, { world: next, from: here, event });
    }
  }
  return { states: seen.size, steps };
}

/** Leaves and regions are alike but for their place, so states that differ by it only are the same. */
function key(world: World): string {
  const { quorum, freshness, leaves, published } = world;
  const targets = new Set(published.flatMap((endpoint) => endpoint.targets));
  const columns = freshness.map((_, index) => index).sort((a, b) => (column(world, a) < column(world, b) ? -1 : 1));
  const rows = leaves.map(({ isInRecord, words, standing }, leaf) =>
    JSON.stringify([isInRecord, standing, targets.has(`203.0.113.${leaf + 1}`), columns.map((index) => words[index])]),
  );
  return `${quorum}|${columns.map((index) => freshness[index])}|${rows.join("|")}`;
}

function column(world: World, region: number): string {
  return JSON.stringify([world.freshness[region], world.leaves.map(({ words }) => words[region])]);
}

/** With Publish, whatever proper set of regions is dead; with Freeze, when all are alive. */
function recovers(world: World, setup: Setup): boolean {
  const all = Array.from({ length: setup.regions }, (_, region) => region);
  if (setup.whenSilent === "Freeze") return healed(world, all, setup);
  return (
    all.every((dead) => healed(world, all.length === 1 ? all : all.filter((region) => region !== dead), setup)) &&
    healed(world, all, setup)
  );
}

function setupsOf(sizes: readonly (readonly [number, number])[]): Setup[] {
  return sizes.flatMap(([leaves, regions]) =>
    numbers(regions).flatMap((quorum) =>
      (["Publish", "Freeze"] as const).flatMap((whenSilent) =>
        (leaves > 1 ? [1, 2] : [1]).map((minPublished): Setup => {
          return { ...SMALL, leaves, regions, quorum, whenSilent, minPublished };
        }),
      ),
    ),
  );
}

const numbers = (to: number) => Array.from({ length: to }, (_, index) => index + 1);

const named = (setups: Setup[]) => setups.map((setup) => [name(setup), setup] as const);

function name({ leaves, regions, quorum, whenSilent, minPublished }: Setup): string {
  return `${leaves} × ${regions}, quorum ${quorum}, ${whenSilent}, minPublished ${minPublished}`;
}

describe("every state of small worlds (leaves × regions), and every event from it", () => {
  it.each(
    named(
      setupsOf([
        [1, 1],
        [1, 2],
        [1, 3],
        [2, 1],
        [2, 2],
        [3, 1],
      ]),
    ),
  )(
    "%s",
    (_, setup) => {
      const { states, found } = walk(setup);
      expect(found).toBeUndefined();
      expect(states).toBeGreaterThan(5);
    },
    60_000,
  );
});

describe("the same with thresholds above one, and with the quorum edited on the way", () => {
  const events: Setup["events"] = ["check", "silence", "restart", "edit", "quorum"];
  const setups = setupsOf([
    [1, 1],
    [1, 2],
  ]).filter(({ quorum }) => quorum === 1);
  it.each(named(setups))(
    "%s",
    (_, setup) => {
      expect(walk({ ...setup, failureThreshold: 1, successThreshold: 2, events }).found).toBeUndefined();
    },
    60_000,
  );
});

describe("the nearest states of worlds that are too large to be seen whole", () => {
  it.each(
    named(
      setupsOf([
        [2, 3],
        [3, 2],
        [3, 3],
      ]),
    ),
  )(
    "%s",
    (_, setup) => {
      expect(walk(setup, 150).found).toBeUndefined();
    },
    60_000,
  );
});
