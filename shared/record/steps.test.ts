import { describe, expect, it } from "vitest";
import { health } from "../../test/support/rules.ts";
import type { MinPublished } from "../model/record.ts";
import type { LeafReason, Verdict } from "../model/status.ts";
import { keepFloor, returnProven } from "./floor.ts";
import { keep } from "./keep.ts";
import { keptLast } from "./kept-last.ts";
import type { LeafHealth } from "./leaf-health.ts";
import { minPublishedOf } from "./min-published.ts";
import { neverEmpty } from "./never-empty.ts";
import type { RootView } from "./view.ts";

function view(
  verdicts: Record<string, Verdict | undefined>,
  published: string,
  minPublished: MinPublished = 1,
  more: Record<string, Partial<LeafHealth>> = {},
): RootView {
  const probed = Object.entries(verdicts).filter((entry): entry is [string, Verdict] => entry[1] !== undefined);
  return {
    leaves: Object.keys(verdicts).sort(),
    health: health(Object.fromEntries(probed), more),
    wasPublished: new Set(published.split(" ").filter((leaf) => leaf !== "")),
    minPublished,
  };
}

const none = new Map<string, LeafReason>();
const kept = (...leaves: string[]) => new Map(leaves.map((leaf): [string, LeafReason] => [leaf, "Healthy"]));

describe("step 1: keep", () => {
  it("keeps Healthy and Unknown leaves, Pending ones that are published, and those without a check", () => {
    const verdicts = { h: "Healthy", k: "Unknown", n: undefined, p: "Pending", q: "Pending", u: "Unhealthy" } as const;
    expect(Object.fromEntries(keep(view(verdicts, "q u gone")))).toEqual({
      h: "Healthy",
      k: "Unknown",
      n: "NotProbed",
      q: "PendingPublished",
    });
  });
});

describe("step 2, first half: the floor", () => {
  const three = { a: "Unhealthy", b: "Unhealthy", c: "Unhealthy" } as const;

  it("while none is Healthy, all published ones stay, and no others", () => {
    expect(Object.fromEntries(keepFloor(view(three, "a b gone"), none))).toEqual({ a: "KeptLast", b: "KeptLast" });
  });

  it("while too few are Healthy, the least bad published ones make it up", () => {
    const two = { ...three, h: "Healthy" } as const;
    const more = { b: { unhealthyRegions: 2 } };
    expect(Object.fromEntries(keepFloor(view(two, "a b c h", 2, more), none))).toEqual({ b: "KeptForMinPublished" });
  });

  it("Unknown and Pending leaves do not count towards it", () => {
    const mixed = { a: "Unhealthy", h: "Healthy", k: "Unknown", p: "Pending" } as const;
    expect(Object.fromEntries(keepFloor(view(mixed, "a h k p", 2), none))).toEqual({ a: "KeptForMinPublished" });
  });

  it("a leaf without a check counts neither as Healthy nor as a leaf of the percentage", () => {
    const mixed = { a: "Unhealthy", b: "Unhealthy", n: undefined, m: undefined } as const;
    expect([...keepFloor(view(mixed, "a b n m", "50%"), none).keys()]).toEqual(["a", "b"]);
    const healthyToo = { a: "Unhealthy", h: "Healthy", n: undefined, m: undefined } as const;
    expect([...keepFloor(view(healthyToo, "a h n m", "50%"), none).keys()]).toEqual([]);
  });

  it("enough are Healthy: nothing stays", () => {
    expect(keepFloor(view({ ...three, h: "Healthy" }, "a b c h"), none).size).toBe(0);
  });
});

describe("step 2, second half: proven leaves come back", () => {
  it("the least bad first, and only as many as are missing", () => {
    const verdicts = { a: "Unhealthy", b: "Unhealthy", c: "Unhealthy", h: "Healthy" } as const;
    const more = { c: { latestSuccessAt: 9 } };
    const choice = returnProven(view(verdicts, "h", 2, more), kept("h"));
    expect(Object.fromEntries(choice)).toEqual({ h: "Healthy", c: "KeptForMinPublished" });
  });

  it("never one that was never in order, nor one that the record no longer has", () => {
    const verdicts = { a: "Unhealthy", p: "Pending", h: "Healthy" } as const;
    const choice = returnProven(view(verdicts, "h gone", 3, { a: { proven: false } }), kept("h"));
    expect([...choice.keys()]).toEqual(["h"]);
  });

  it("nor where nothing is published yet", () => {
    expect(returnProven(view({ a: "Unhealthy", p: "Pending" }, ""), none).size).toBe(0);
  });

  it("not while enough are published, whatever they are", () => {
    const verdicts = { a: "Unhealthy", k: "Unknown", p: "Pending" } as const;
    expect(returnProven(view(verdicts, "k p", 2), kept("k", "p")).size).toBe(2);
  });
});

describe("step 3: never empty", () => {
  it("nothing left of what was published: all of the record's leaves", () => {
    expect([...neverEmpty(view({ a: "Unhealthy", p: "Pending" }, "gone"), none).keys()]).toEqual(["a", "p"]);
  });

  it("nothing published yet: it waits", () => {
    expect(neverEmpty(view({ a: "Unhealthy", p: "Pending" }, ""), none).size).toBe(0);
  });
});

it.each<[MinPublished, number, number]>([
  [1, 5, 1],
  [7, 5, 7],
  ["50%", 4, 2],
  ["50%", 5, 3],
  ["1%", 5, 1],
  ["100%", 5, 5],
  ["50%", 0, 0],
])("minPublished %s of %i leaves is %i", (minPublished, leaves, number) => {
  expect(minPublishedOf(minPublished, leaves)).toBe(number);
});

it("no step changes what it is given", () => {
  const given = view({ a: "Unhealthy", p: "Pending" }, "a");
  const before = structuredClone(given);
  const choice = kept();
  for (const step of [keepFloor, returnProven, neverEmpty]) step(given, choice);
  expect(given).toEqual(before);
  expect(choice.size).toBe(0);
});

it("KeptLast names the leaves that fail and stay", () => {
  expect(keptLast([{ leaf: "a", published: true, reason: "Healthy" }])).toEqual([]);
  expect(keptLast([{ leaf: "a", published: true, reason: "KeptLast" }])).toEqual([
    { type: "KeptLast", message: "no leaf is Healthy, so the last ones stay published: a" },
  ]);
});
