import { describe, expect, it } from "vitest";
import { geo, lines, plain, weighted } from "../../test/support/rules.ts";
import type { Endpoint } from "../model/endpoint.ts";
import { prune } from "./prune.ts";
import { readTree } from "./tree.ts";

const [a, b, c] = ["203.0.113.1", "203.0.113.2", "203.0.113.3"];

/** Prunes to the kept leaves, which every root keeps where it has them. */
function pruned(endpoints: Endpoint[], ...kept: string[]): string[] {
  const reading = readTree(endpoints);
  if (!reading.ok) throw new Error(JSON.stringify(reading.errors));
  const before = structuredClone(endpoints);
  const result = prune(reading.tree, new Map(reading.tree.roots.map((root) => [root, new Set(kept)])));
  expect(endpoints).toEqual(before);
  return lines(result);
}

const byWeight = [
  plain("x.test", "CNAME", "lb.x.test"),
  weighted(100, "lb.x.test", "CNAME", "one.x.test"),
  weighted(100, "lb.x.test", "CNAME", "two.x.test"),
  plain("one.x.test", "A", a, b),
  plain("two.x.test", "A", c),
];

describe("pruning", () => {
  it("a dead target goes, sorted and unique are what stays", () => {
    expect(pruned([plain("x.test", "A", c, a, b, a)], c, a)).toEqual([`x.test A → ${a} ${c}`]);
  });

  it("a dead branch goes up to the first name that has another", () => {
    expect(pruned(byWeight, a)).toEqual([
      "lb.x.test CNAME [one.x.test] → one.x.test",
      `one.x.test A → ${a}`,
      "x.test CNAME → lb.x.test",
    ]);
  });

  it("nothing kept, nothing left: that is for the steps before to prevent", () => {
    expect(pruned(byWeight)).toEqual([]);
  });

  it("only targets change: key, TTL, labels and providerSpecific stay", () => {
    const full: Endpoint = { ...weighted(7, "x.test", "A", a, b), recordTTL: 17, labels: { owner: "me" } };
    const reading = readTree([full]);
    if (!reading.ok) throw new Error("refused");
    expect(prune(reading.tree, new Map([["x.test", new Set([a])]]))).toEqual([{ ...full, targets: [a] }]);
  });

  it("a set behind weight 0 stays as it is: it answers when no weight is left", () => {
    const idle = [weighted(100, "x.test", "A", a), weighted(0, "x.test", "A", b)];
    expect(pruned(idle, b)).toEqual([`x.test A [${b}] → ${b}`]);
    expect(pruned(idle, a, b)).toHaveLength(2);
  });
});

describe("geography", () => {
  const sets = [geo("*", "x.test", "A", a), geo("EU", "x.test", "A", b), geo("US", "x.test", "A", c)];

  it("a dead set goes, since the default answers for it", () => {
    expect(pruned(sets, a, c)).toEqual([`x.test A [*] → ${a}`, `x.test A [US] → ${c}`]);
  });

  it("a dead default takes the targets of the first live set", () => {
    expect(pruned(sets, c)).toEqual([`x.test A [*] → ${c}`, `x.test A [US] → ${c}`]);
    expect(pruned(sets.toReversed(), b, c)[0]).toBe(`x.test A [*] → ${b}`);
  });

  it("without a default every dead set does", () => {
    const bare = [geo("AF", "x.test", "A", a), ...sets.slice(1)];
    expect(pruned(bare, c)).toEqual([`x.test A [AF] → ${c}`, `x.test A [EU] → ${c}`, `x.test A [US] → ${c}`]);
  });

  it("of its own type, and never of another name", () => {
    const stacked = [...sets, geo("*", "x.test", "AAAA", "2001:db8::1"), geo("EU", "x.test", "AAAA", "2001:db8::2")];
    expect(pruned(stacked, c, "2001:db8::2")).toEqual([
      `x.test A [*] → ${c}`,
      `x.test A [US] → ${c}`,
      "x.test AAAA [*] → 2001:db8::2",
      "x.test AAAA [EU] → 2001:db8::2",
    ]);
  });

  it("a default whose branch is dead is sent down a live one", () => {
    const branches = [
      geo("*", "x.test", "CNAME", "eu.x.test"),
      geo("EU", "x.test", "CNAME", "eu.x.test"),
      geo("US", "x.test", "CNAME", "us.x.test"),
      plain("eu.x.test", "A", a),
      plain("us.x.test", "A", b),
    ];
    expect(pruned(branches, b)).toEqual([
      `us.x.test A → ${b}`,
      "x.test CNAME [*] → us.x.test",
      "x.test CNAME [US] → us.x.test",
    ]);
  });
});

it("each root keeps its own leaves, and a name that two share keeps those of both", () => {
  const endpoints = [
    plain("a.x.test", "A", a, b),
    plain("b.x.test", "A", a),
    plain("c.x.test", "CNAME", "s.x.test"),
    plain("d.x.test", "CNAME", "s.x.test"),
    plain("s.x.test", "A", a, b, c),
  ];
  const reading = readTree(endpoints);
  if (!reading.ok) throw new Error("refused");
  const kept = new Map([
    ["a.x.test", new Set([b])],
    ["b.x.test", new Set([a])],
    ["c.x.test", new Set([a])],
    ["d.x.test", new Set([c])],
  ]);
  expect(lines(prune(reading.tree, kept))).toEqual([
    `a.x.test A → ${b}`,
    `b.x.test A → ${a}`,
    "c.x.test CNAME → s.x.test",
    "d.x.test CNAME → s.x.test",
    `s.x.test A → ${a} ${c}`,
  ]);
});
