import { describe, expect, it } from "vitest";
import { geo, health, lines, plain, weighted } from "../../test/support/rules.ts";
import type { Endpoint } from "../model/endpoint.ts";
import type { MinPublished } from "../model/record.ts";
import { decide } from "./decide.ts";
import { type MergeInput, mergeShares } from "./merge.ts";

const [a, b, c, d] = ["203.0.113.1", "203.0.113.2", "203.0.113.3", "203.0.113.4"];

function share(...endpoints: Endpoint[]): MergeInput {
  return { endpoints, minPublished: 1, whenSilent: "Publish" };
}

describe("endpoints of several clusters", () => {
  it("A and AAAA sets with one key are joined, with the smallest TTL", () => {
    const merged = mergeShares([
      share({ ...plain("x.test", "A", b, a), recordTTL: 60 }),
      share({ ...plain("x.test", "A", c, a), recordTTL: 30 }, plain("x.test", "AAAA", "2001:db8::1")),
    ]);
    expect(lines(merged.endpoints)).toEqual([`x.test A → ${a} ${b} ${c}`, "x.test AAAA → 2001:db8::1"]);
    expect(merged.endpoints[0]?.recordTTL).toBe(30);
    expect(merged.conflicts).toEqual([]);
  });

  it("each brings a weighted set of its own to a shared name", () => {
    const of = (cluster: string, address: string) =>
      share(
        plain("x.test", "CNAME", "lb.x.test"),
        weighted(100, "lb.x.test", "CNAME", `${cluster}.lb.x.test`),
        plain(`${cluster}.lb.x.test`, "A", address),
      );
    const merged = mergeShares([of("one", a), of("two", b)]);
    expect(merged.conflicts).toEqual([]);
    expect(lines(merged.endpoints)).toEqual([
      "lb.x.test CNAME [one.lb.x.test] → one.lb.x.test",
      "lb.x.test CNAME [two.lb.x.test] → two.lb.x.test",
      `one.lb.x.test A → ${a}`,
      `two.lb.x.test A → ${b}`,
      "x.test CNAME → lb.x.test",
    ]);
  });

  it.each<[string, Endpoint, Endpoint, string]>([
    [
      "another CNAME target",
      plain("x.test", "CNAME", "one.example"),
      plain("x.test", "CNAME", "two.example"),
      "x.test CNAME: an older share has another target",
    ],
    [
      "a CNAME where an address is",
      plain("x.test", "A", a),
      plain("x.test", "CNAME", "two.example"),
      "x.test CNAME: does not go with an older share: must be the only type at x.test, which has A too (RFC 1034 §3.6.2)",
    ],
    [
      "an address where a CNAME is",
      plain("x.test", "CNAME", "one.example"),
      plain("x.test", "A", a),
      "x.test A: does not go with an older share: must be the only type at x.test, which has A too (RFC 1034 §3.6.2)",
    ],
    [
      "a plain set where geo sets are",
      geo("EU", "x.test", "A", a),
      plain("x.test", "A", b),
      "x.test A: does not go with an older share: must be routed like the other endpoints of x.test: all plain, all weighted or all geo",
    ],
    [
      "another default geography",
      { ...geo("*", "x.test", "A", a), setIdentifier: "one" },
      { ...geo("*", "x.test", "A", b), setIdentifier: "two" },
      "x.test A two: an older share serves this geography as x.test A one",
    ],
    [
      "a way back round",
      plain("x.test", "CNAME", "y.x.test"),
      plain("y.x.test", "CNAME", "x.test"),
      "y.x.test CNAME: does not go with an older share: must not close a cycle: x.test → y.x.test → x.test",
    ],
  ])("the older share holds and the other gets a conflict: %s", (_, older, newer, message) => {
    const merged = mergeShares([share(older), share(newer, plain("z.x.test", "A", d))]);
    expect(merged.conflicts).toEqual([{ share: 1, message }]);
    expect(lines(merged.endpoints)).toEqual(lines([older, plain("z.x.test", "A", d)]));
  });

  it("each brings a geography of its own to a shared name", () => {
    const merged = mergeShares([share(geo("*", "x.test", "A", a)), share(geo("EU", "x.test", "A", b))]);
    expect(merged.conflicts).toEqual([]);
    expect(lines(merged.endpoints)).toEqual([`x.test A [*] → ${a}`, `x.test A [EU] → ${b}`]);
  });

  it("one geography at another name, or for another family, is no conflict", () => {
    const [one, two] = ["one", "two"].map((setIdentifier) => (endpoint: Endpoint) => ({ ...endpoint, setIdentifier }));
    const merged = mergeShares([
      share(one!(geo("EU", "x.test", "A", a)), one!(geo("EU", "x.test", "AAAA", "2001:db8::1"))),
      share(two!(geo("EU", "y.x.test", "A", b))),
      share(two!(geo("EU", "y.x.test", "AAAA", "2001:db8::2"))),
    ]);
    expect(merged.conflicts).toEqual([]);
    expect(merged.endpoints).toHaveLength(4);
  });

  it("other weights: the targets are joined, the older weight holds", () => {
    const set = (weight: number, target: string) => ({
      ...weighted(weight, "x.test", "A", target),
      setIdentifier: "s",
    });
    const merged = mergeShares([share(set(10, a)), share(set(20, b))]);
    expect(merged.endpoints).toEqual([{ ...set(10, a), targets: [a, b] }]);
    expect(merged.conflicts[0]?.message).toBe(
      "x.test A s: an older share has other providerSpecific values, which hold",
    );
  });

  it("the same properties in another order are the same", () => {
    const properties = [
      { name: "weight", value: "10" },
      { name: "alias", value: "true" },
    ];
    const set = (target: string) => ({ ...plain("x.test", "A", target), setIdentifier: "s" });
    const one = share({ ...set(a), providerSpecific: properties });
    const two = share({ ...set(b), providerSpecific: properties.toReversed() });
    expect(mergeShares([one, two]).conflicts).toEqual([]);
  });

  it("labels are each writer's own: the older ones stay, without a conflict", () => {
    const labelled = (owner: string, target: string) => ({ ...plain("x.test", "A", target), labels: { owner } });
    const merged = mergeShares([share(labelled("one", a)), share(labelled("two", b))]);
    expect(merged.endpoints).toEqual([{ ...labelled("one", a), targets: [a, b] }]);
    expect(merged.conflicts).toEqual([]);
  });

  it("a joined set that no schema would take is not joined", () => {
    const many = (from: number) =>
      plain("x.test", "A", ...Array.from({ length: 60 }, (_, n) => `198.51.100.${from + n}`));
    const merged = mergeShares([share(many(0)), share(many(60))]);
    expect(merged.endpoints[0]?.targets).toHaveLength(60);
    expect(merged.conflicts[0]?.message).toBe("x.test A: would have more than 100 targets");
  });

  it("does not change what it is given, nor does the order of endpoints matter", () => {
    const one = share(plain("x.test", "A", b, a, b), plain("*.x.test", "A", a));
    const two = share(plain("x.test", "A", c), plain("x.test", "AAAA", "2001:db8::1"));
    const before = structuredClone([one, two]);
    const merged = mergeShares([one, two]);
    expect([one, two]).toEqual(before);
    expect(mergeShares([one, two].map((s) => ({ ...s, endpoints: s.endpoints.toReversed() })))).toEqual(merged);
  });
});

describe("settings of several clusters", () => {
  const four = plain("x.test", "A", a, b, c, d);

  it.each<[MinPublished[], MinPublished]>([
    [[1, 3, 2], 3],
    [["25%", "75%"], "75%"],
    [[3, "50%"], 3],
    [[1, "50%"], "50%"],
    [[2, "50%"], "50%"],
    [["50%", 2], "50%"],
    [[1], 1],
  ])("of %j the largest for four leaves holds: %s", (given, largest) => {
    expect(mergeShares(given.map((minPublished) => ({ ...share(four), minPublished }))).minPublished).toBe(largest);
  });

  it("Freeze holds before Publish", () => {
    expect(mergeShares([share(four), { ...share(four), whenSilent: "Freeze" }]).whenSilent).toBe("Freeze");
    expect(mergeShares([share(four), share(four)]).whenSilent).toBe("Publish");
  });
});

describe("four records with one address each at one host: the last is judged on all of them", () => {
  const shares = [a, b, c, d].map((address) => share(plain("x.test", "A", address)));
  const { endpoints } = mergeShares(shares);
  const whenDead = (unhealthy: string[], wasPublished: readonly Endpoint[]) =>
    decide({
      endpoints,
      minPublished: 1,
      leaves: health(
        Object.fromEntries([a, b, c, d].map((leaf) => [leaf, unhealthy.includes(leaf) ? "Unhealthy" : "Healthy"])),
      ),
      wasPublished,
    });

  it("one unhealthy: three; three: one; four: the last to fall", () => {
    const three = whenDead([a], endpoints);
    expect(three.published).toEqual([b, c, d]);
    const one = whenDead([a, b, c], three.endpoints);
    expect(one.published).toEqual([d]);
    expect(whenDead([a, b, c, d], one.endpoints).published).toEqual([d]);
  });

  it("four at once: all four", () => {
    expect(whenDead([a, b, c, d], endpoints).published).toEqual([a, b, c, d]);
  });
});
