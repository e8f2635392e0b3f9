import { count, NO_COUNTS, saturate } from "../../shared/health/count.ts";
import type { Freshness } from "../../shared/health/freshness.ts";
import type { Thresholds } from "../../shared/health/threshold.ts";
import { judge, type Policy, type RegionWord, type Standing } from "../../shared/health/verdict.ts";
import type { Endpoint } from "../../shared/model/endpoint.ts";
import type { Counts } from "../../shared/model/probe.ts";
import { REGIONS } from "../../shared/model/region.ts";
import { decide } from "../../shared/record/decide.ts";
import type { LeafHealth } from "../../shared/record/leaf-health.ts";

/** What happens to a world. `leaf` and `region` are indexes. */
export type Event =
  | { type: "check"; leaf: number; region: number; outcome: "ok" | "failed" }
  /** A region has not been heard of for staleAfter. */
  | { type: "silence"; region: number }
  /** The coordinator starts again: words are in storage, and every region is awaited. */
  | { type: "restart" }
  /** The leaf is taken out of the record, or put back as a new one. */
  | { type: "edit"; leaf: number }
  /** The quorum is edited: the next number up, and from all regions back to one. */
  | { type: "quorum" };

export type Setup = Thresholds & {
  leaves: number;
  regions: number;
  quorum: number;
  whenSilent: Policy["whenSilent"];
  minPublished: number;
  events: readonly Event["type"][];
};

/** The whole state of a world: plain data, so that two are the same when they read the same. */
export type World = {
  quorum: number;
  freshness: readonly Freshness[];
  leaves: readonly LeafState[];
  published: readonly Endpoint[];
};

type LeafState = { isInRecord: boolean; words: readonly Counts[]; standing: Standing | undefined };

const NAME = "x.test";
const addressOf = (leaf: number) => `203.0.113.${leaf + 1}`;

/** Every leaf is new, every region awaited, nothing published. */
export function newWorld(setup: Setup): World {
  return {
    quorum: setup.quorum,
    freshness: Array.from({ length: setup.regions }, () => "Awaited"),
    leaves: Array.from({ length: setup.leaves }, () => newLeaf(setup)),
    published: [],
  };
}

const newLeaf = (setup: Setup): LeafState => ({
  isInRecord: true,
  words: Array.from({ length: setup.regions }, () => NO_COUNTS),
  standing: undefined,
});

/** Everything that can happen in a world of this setup. A check is of all leaves of the record, one outcome each. */
export function eventsOf(setup: Setup): Event[] {
  const leaves = Array.from({ length: setup.leaves }, (_, leaf) => leaf);
  const regions = Array.from({ length: setup.regions }, (_, region) => region);
  const all: Event[] = [
    ...leaves.flatMap((leaf) =>
      regions.flatMap((region): Event[] => [
        { type: "check", leaf, region, outcome: "ok" },
        { type: "check", leaf, region, outcome: "failed" },
      ]),
    ),
    ...regions.map((region): Event => ({ type: "silence", region })),
    { type: "restart" },
    { type: "quorum" },
    ...leaves.map((leaf): Event => ({ type: "edit", leaf })),
  ];
  return all.filter(({ type }) => setup.events.includes(type));
}

/** The world after an event: counts by the real counting, verdicts by the real judging, DNS by the real decision. */
export function after(world: World, event: Event, setup: Setup): World {
  return decided(judged(happened(world, event, setup), setup), setup);
}

function happened(world: World, event: Event, setup: Setup): World {
  switch (event.type) {
    case "check":
      return {
        ...world,
        freshness: world.freshness.with(event.region, "Fresh"),
        leaves: world.leaves.with(event.leaf, checked(world.leaves[event.leaf]!, event.region, event.outcome, setup)),
      };
    case "silence":
      return { ...world, freshness: world.freshness.with(event.region, "Silent") };
    case "restart":
      return { ...world, freshness: world.freshness.map(() => "Awaited") };
    case "quorum":
      return { ...world, quorum: (world.quorum % setup.regions) + 1 };
    case "edit": {
      const leaf = world.leaves[event.leaf]!;
      return { ...world, leaves: world.leaves.with(event.leaf, { ...newLeaf(setup), isInRecord: !leaf.isInRecord }) };
    }
  }
}

function checked(leaf: LeafState, region: number, outcome: "ok" | "failed", setup: Setup): LeafState {
  if (!leaf.isInRecord) return leaf;
  return { ...leaf, words: leaf.words.with(region, saturate(count(leaf.words[region]!, outcome, setup), setup)) };
}

function judged(world: World, setup: Setup): World {
  const leaves = world.leaves.map((leaf) => {
    if (!leaf.isInRecord) return leaf;
    const { verdict, provenAt } = judge(leaf.standing, wordsOf(world, leaf), { ...setup, quorum: world.quorum }, 0);
    return { ...leaf, standing: { verdict, since: 0, ...(provenAt !== undefined && { provenAt }) } };
  });
  return { ...world, leaves };
}

export function wordsOf(world: World, leaf: LeafState): RegionWord[] {
  return leaf.words.map((counts, index) => ({
    region: REGIONS[index]!,
    // A leaf that the region has not asked yet is awaited there, however fresh the others are.
    freshness: counts === NO_COUNTS || isNew(counts) ? notFresh(world.freshness[index]!) : world.freshness[index]!,
    counts,
  }));
}

const isNew = ({ failures, successes, says }: Counts) => failures === 0 && successes === 0 && says === "Pending";
const notFresh = (freshness: Freshness): Freshness => (freshness === "Silent" ? "Silent" : "Awaited");

function decided(world: World, setup: Setup): World {
  return { ...world, published: decidedOn(world, setup) };
}

/** Decisions are pure and worlds small: each is made once. */
const decisions = new Map<string, readonly Endpoint[]>();

/** What is to be in DNS by the state of the world. A record without leaves is no record: its last form stays. */
export function decidedOn(world: World, setup: Setup): readonly Endpoint[] {
  const endpoints = recordOf(world);
  if (endpoints === undefined) return world.published;
  const leaves = healthOf(world);
  const key = JSON.stringify([endpoints[0]?.targets, setup.minPublished, [...leaves], publishedOf(world)]);
  const known = decisions.get(key);
  if (known !== undefined) return known;
  const decision = decide({ endpoints, minPublished: setup.minPublished, leaves, wasPublished: world.published });
  decisions.set(key, decision.endpoints);
  return decision.endpoints;
}

export function recordOf(world: World): Endpoint[] | undefined {
  const targets = world.leaves.flatMap(({ isInRecord }, leaf) => (isInRecord ? [addressOf(leaf)] : []));
  return targets.length === 0 ? undefined : [{ dnsName: NAME, recordType: "A", recordTTL: 60, targets }];
}

function healthOf(world: World): Map<string, LeafHealth> {
  const leaves = new Map<string, LeafHealth>();
  for (const [leaf, state] of world.leaves.entries()) {
    if (state.standing === undefined) continue;
    const unhealthyRegions = state.words.filter(({ says }) => says === "Unhealthy").length;
    const proven = state.standing.provenAt !== undefined;
    leaves.set(addressOf(leaf), { verdict: state.standing.verdict, unhealthyRegions, proven });
  }
  return leaves;
}

/** Indexes of the leaves in DNS. */
export function publishedOf(world: World): number[] {
  const targets = new Set(world.published.flatMap((endpoint) => endpoint.targets));
  return world.leaves.flatMap((_, leaf) => (targets.has(addressOf(leaf)) ? [leaf] : []));
}
