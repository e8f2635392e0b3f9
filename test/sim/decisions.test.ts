import { describe, expect, it } from "vitest";
import type { Endpoint } from "../../shared/model/endpoint.ts";
import type { MinPublished } from "../../shared/model/record.ts";
import { decide } from "../../shared/record/decide.ts";
import type { LeafHealth } from "../../shared/record/leaf-health.ts";
import { leavesByRoot } from "../support/arbitrary.ts";
import { geo, plain, weighted } from "../support/rules.ts";

const [a, b, c, six] = ["203.0.113.1", "203.0.113.2", "203.0.113.3", "2001:db8::6"];

/** Every standing that a leaf can have, as far as a decision tells them apart. */
const STANDINGS: LeafHealth[] = [
  { verdict: "Healthy", unhealthyRegions: 0, proven: true },
  { verdict: "Unknown", unhealthyRegions: 0, proven: false },
  { verdict: "Pending", unhealthyRegions: 0, proven: false },
  { verdict: "Unhealthy", unhealthyRegions: 2, proven: true },
  { verdict: "Unhealthy", unhealthyRegions: 1, proven: true },
  { verdict: "Unhealthy", unhealthyRegions: 1, proven: false },
];

const SHAPES: [string, Endpoint[]][] = [
  ["three addresses", [plain("x.test", "A", a, b, c)]],
  [
    "both families behind a CNAME",
    [plain("x.test", "CNAME", "y.x.test"), plain("y.x.test", "A", a, b), plain("y.x.test", "AAAA", six)],
  ],
  [
    "weighted branches that share a leaf, one of them idle",
    [
      weighted(100, "x.test", "CNAME", "y.x.test"),
      weighted(0, "x.test", "CNAME", "z.x.test"),
      plain("y.x.test", "A", a, b),
      plain("z.x.test", "A", b, c),
    ],
  ],
  ["geography with a default", [geo("*", "x.test", "A", a), geo("EU", "x.test", "A", b), geo("US", "x.test", "A", c)]],
  ["geography without one", [geo("EU", "x.test", "A", a, b), geo("US", "x.test", "A", c)]],
  [
    "two roots that share a name",
    [plain("v.x.test", "CNAME", "y.x.test"), plain("w.x.test", "CNAME", "y.x.test"), plain("y.x.test", "A", a, b, c)],
  ],
  ["two roots that overlap", [plain("v.x.test", "A", a, b), plain("w.x.test", "A", b, c)]],
];

const LIMITS: MinPublished[] = [1, 2, "100%"];

/** Every combination of the items, one for each place. */
function* tuples<Item>(items: readonly Item[], places: number): Generator<Item[]> {
  if (places === 0) yield [];
  else for (const rest of tuples(items, places - 1)) for (const item of items) yield [item, ...rest];
}

/** What can be in DNS by an earlier decision: one for each set of leaves that was in order then. */
function histories(record: readonly Endpoint[], leaves: readonly string[]): Endpoint[][] {
  const found = [...tuples([true, false], leaves.length)].map((wasInOrder) => {
    const health = new Map(leaves.map((leaf, index) => [leaf, STANDINGS[wasInOrder[index] ? 0 : 3]!]));
    return decide({ endpoints: record, minPublished: 1, leaves: health, wasPublished: record }).endpoints;
  });
  return [[], ...new Map(found.map((endpoints) => [JSON.stringify(endpoints), endpoints])).values()];
}

describe("every standing of every leaf, from every history", { timeout: 60_000 }, () => {
  it.each(SHAPES)("%s", (_, record) => {
    const roots = [...leavesByRoot(record)];
    const leaves = [...new Set(roots.flatMap(([, below]) => below))].sort();
    let decisions = 0;
    for (const wasPublished of histories(record, leaves)) {
      for (const standings of tuples(STANDINGS, leaves.length)) {
        const health = new Map(leaves.map((leaf, index) => [leaf, standings[index]!]));
        for (const minPublished of LIMITS) {
          const input = { endpoints: record, minPublished, leaves: health, wasPublished };
          const decision = decide(input);
          decisions += 1;
          const told = JSON.stringify({ minPublished, health: [...health], wasPublished });
          for (const [root, below] of roots) check(root, below, health, wasPublished, decision.endpoints, told);
          const again = decide({ ...input, wasPublished: decision.endpoints });
          if (JSON.stringify(again) !== JSON.stringify(decision)) throw new Error(`deciding again changed it: ${told}`);
        }
      }
    }
    expect(decisions).toBeGreaterThan(1_000);
  });
});

/** Plain comparisons: `expect` is too slow for this many. */
function check(
  root: string,
  leaves: string[],
  health: Map<string, LeafHealth>,
  was: Endpoint[],
  now: Endpoint[],
  told: string,
) {
  const published = reach(now, root);
  const before = reach(was, root);
  if (before.size > 0 && published.size === 0) throw new Error(`${root} went empty: ${told}`);
  for (const leaf of leaves) {
    const { verdict } = health.get(leaf)!;
    const isGood = verdict === "Healthy" || verdict === "Unknown" || (verdict === "Pending" && before.has(leaf));
    if (isGood && !published.has(leaf)) throw new Error(`${leaf} is withheld at ${root}: ${told}`);
  }
}

/** Walks the endpoints as a resolver would, by no code of the product. */
function reach(endpoints: Endpoint[], name: string): Set<string> {
  const here = endpoints.filter(({ dnsName }) => dnsName === name);
  return new Set(
    here.flatMap(({ recordType, targets }) =>
      recordType === "CNAME" ? targets.flatMap((t) => [...reach(endpoints, t)]) : targets,
    ),
  );
}
