import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Endpoint } from "../../shared/model/endpoint.ts";
import type { MergeInput } from "../../shared/record/merge.ts";
import { delivered } from "../../test/support/agent/delivered.ts";
import { type HostInput, planHost } from "./plan-host.ts";

const HOST = "x.test";
const a = (dnsName: string, ...targets: string[]): Endpoint => ({ dnsName, recordType: "A", recordTTL: 60, targets });
const share = (targets: string[], whenSilent: "Publish" | "Freeze" = "Publish"): MergeInput => ({
  endpoints: [a(HOST, ...targets)],
  minPublished: 1,
  whenSilent,
});
const [one, two, three] = ["192.0.2.1", "192.0.2.2", "192.0.2.3"] as const;
const there = "198.51.100.1";
const shared = { shares: ["here", "there"].map((cluster) => ({ cluster, record: "shop/x", conditions: [] })) };

function plan(input: Partial<HostInput> & { own: MergeInput[] }): [string, string[] | undefined] {
  const { basis, endpoints } = planHost({
    cluster: "here",
    delivered: undefined,
    served: undefined,
    silent: false,
    ...input,
  });
  return [basis, endpoints?.flatMap(({ targets }) => targets)];
}

describe("in contact, a host is served", () => {
  it("as the edge decided it", () => {
    const decision = delivered(HOST, [one], { unhealthy: [two] });
    expect(plan({ own: [share([one, two])], delivered: decision, served: [a(HOST, one, two)] })).toEqual([
      "Decision",
      [one],
    ]);
  });

  it("whole: with the leaves of other clusters", () => {
    const decision = delivered(HOST, [one, there], { ...shared, probed: { here: [one], there: [there] } });
    expect(plan({ own: [share([one])], delivered: decision })).toEqual(["Decision", [one, there]]);
  });

  it("without what its own records no longer have", () => {
    expect(
      plan({ own: [share([two, three])], delivered: delivered(HOST, [one, two]), served: [a(HOST, one, two)] }),
    ).toEqual(["Decision", [two]]);
  });

  it("by all that the records have, where they have nothing left of what was decided", () => {
    expect(plan({ own: [share([two, three])], delivered: delivered(HOST, [one]), served: [a(HOST, one)] })).toEqual([
      "Decision",
      [two, three],
    ]);
  });

  it("by the leaves that were published, where only the set they are in is called otherwise", () => {
    const renamed = { ...share([]), endpoints: [{ ...a(HOST, one, two), setIdentifier: "new" }] };
    const decision = delivered(HOST, [one], { unhealthy: [two] });
    expect(plan({ own: [renamed], delivered: decision, served: [a(HOST, one)] })).toEqual(["Decision", [one]]);
  });

  it("by all that the records have, where they have other names now", () => {
    const renamed = { ...share([]), endpoints: [a("new.x.test", two, three)] };
    expect(plan({ own: [renamed], delivered: delivered(HOST, [one]), served: [a(HOST, one)] })).toEqual([
      "Decision",
      [two, three],
    ]);
  });

  it("by nothing while nothing of it was ever published, as the edge decides that", () => {
    expect(plan({ own: [share([one])], delivered: delivered(HOST, []) })).toEqual(["Decision", []]);
  });

  it("as before by an edge that says nothing of it any more, or that it should be empty", () => {
    expect(plan({ own: [share([one, two])], served: [a(HOST, one)] })).toEqual(["Held", [one]]);
    expect(plan({ own: [share([one, two])], delivered: delivered(HOST, []), served: [a(HOST, one)] })).toEqual([
      "Decision",
      [one],
    ]);
  });

  it("by nobody's word before anybody has decided it", () => {
    expect(plan({ own: [share([one])] })).toEqual(["Undecided", undefined]);
  });

  it("by nobody's word where the decision is about other records, and nothing was ever served", () => {
    const stale = delivered(HOST, [one]);
    expect(plan({ own: [share([two])], delivered: stale })).toEqual(["Undecided", undefined]);
    expect(plan({ own: [share([two], "Freeze")], delivered: stale, silent: true })).toEqual(["Fallback", [two]]);
  });

  it("under each name that no other points to", () => {
    const own = { ...share([]), endpoints: [a("a.x.test", one), a("b.x.test", two, three)] };
    const decision = { ...delivered(HOST, [one]), endpoints: [a("a.x.test", one), a("b.x.test", "192.0.2.9")] };
    const { endpoints } = planHost({
      cluster: "here",
      own: [own],
      delivered: decision,
      served: decision.endpoints,
      silent: false,
    });
    expect(endpoints).toEqual([a("a.x.test", one), a("b.x.test", two, three)]);
  });
});

describe("when the edge is silent, a host is served", () => {
  const decision = delivered(HOST, [one], { unhealthy: [two, three] });

  it("by the last delivery plus the own leaves, with Publish", () => {
    expect(
      plan({ own: [share([one, two, three])], delivered: decision, served: [a(HOST, one)], silent: true }),
    ).toEqual(["Fallback", [one, two, three]]);
  });

  it("by the last delivery, with Freeze", () => {
    expect(
      plan({ own: [share([one, two, three], "Freeze")], delivered: decision, served: [a(HOST, one)], silent: true }),
    ).toEqual(["Frozen", [one]]);
  });

  it("with the other clusters' leaves as they were last decided, and their wish to freeze", () => {
    const both = {
      ...shared,
      probed: { here: [one, two], there: [there, "198.51.100.2"] },
      unhealthy: [two, "198.51.100.2"],
    };
    const input = { own: [share([one, two])], served: [a(HOST, one, there)], silent: true };
    expect(plan({ ...input, delivered: delivered(HOST, [one, there], both) })).toEqual(["Fallback", [one, two, there]]);
    expect(plan({ ...input, delivered: delivered(HOST, [one, there], { ...both, whenSilent: "Freeze" }) })).toEqual([
      "Frozen",
      [one, there],
    ]);
  });

  it("by an edit of whenSilent at once, where the host is only this cluster's", () => {
    const frozen = { ...decision, whenSilent: "Freeze" as const };
    expect(plan({ own: [share([one, two])], delivered: frozen, served: [a(HOST, one)], silent: true })).toEqual([
      "Fallback",
      [one, two],
    ]);
  });

  it("with an address that was put in by hand, also with Freeze, once the last one is taken out", () => {
    expect(
      plan({ own: [share([two], "Freeze")], delivered: delivered(HOST, [one]), served: [a(HOST, one)], silent: true }),
    ).toEqual(["Frozen", [two]]);
  });

  it("whole by an agent that never had a word of the edge, whatever whenSilent says", () => {
    expect(plan({ own: [share([one, two])], silent: true })).toEqual(["Fallback", [one, two]]);
    expect(plan({ own: [share([one, two], "Freeze")], silent: true })).toEqual(["Fallback", [one, two]]);
  });
});

describe("always", () => {
  const leaf = fc.constantFrom(one, two, three, "192.0.2.4");
  const foreign = fc.constantFrom(there, "198.51.100.2");
  const leaves = fc.uniqueArray(leaf, { minLength: 1 });
  const input = fc.record({
    own: fc.array(fc.record({ targets: leaves, whenSilent: fc.constantFrom("Publish" as const, "Freeze" as const) }), {
      minLength: 1,
      maxLength: 2,
    }),
    decided: fc.option(fc.uniqueArray(fc.oneof(leaf, foreign)), { nil: undefined }),
    hasOthers: fc.boolean(),
    served: fc.option(fc.uniqueArray(fc.oneof(leaf, foreign)), { nil: undefined }),
    silent: fc.boolean(),
  });
  const host = (given: typeof input extends fc.Arbitrary<infer Value> ? Value : never): HostInput => ({
    cluster: "here",
    own: given.own.map(({ targets, whenSilent }) => share(targets, whenSilent)),
    delivered:
      given.decided &&
      delivered(
        HOST,
        given.decided,
        given.hasOthers ? { ...shared, probed: { here: given.decided.filter((one) => one.startsWith("192")) } } : {},
      ),
    served: given.served?.length === 0 ? [] : given.served && [a(HOST, ...given.served)],
    silent: given.silent,
  });
  const targets = (endpoints: readonly Endpoint[] = []) => endpoints.flatMap((endpoint) => endpoint.targets);

  it("goes from something to something", () => {
    fc.assert(
      fc.property(input, (given) => {
        const asked = host(given);
        if (targets(asked.served).length > 0) expect(targets(planHost(asked).endpoints)).not.toEqual([]);
      }),
    );
  });

  it("keeps to what the edge decided, this cluster has, or was served", () => {
    fc.assert(
      fc.property(input, (given) => {
        const asked = host(given);
        const known = new Set([
          ...targets(asked.delivered?.endpoints),
          ...asked.own.flatMap((own) => targets(own.endpoints)),
          ...targets(asked.served),
        ]);
        expect(targets(planHost(asked).endpoints).filter((target) => !known.has(target))).toEqual([]);
      }),
    );
  });

  it("changes nothing when done twice, and not its input", () => {
    fc.assert(
      fc.property(input, (given) => {
        const asked = host(given);
        const before = structuredClone(asked);
        const once = planHost(asked);
        expect(asked).toEqual(before);
        expect(planHost({ ...asked, served: once.endpoints }).endpoints).toEqual(once.endpoints);
      }),
    );
  });

  it("publishes all own leaves once the edge is silent, without Freeze", () => {
    fc.assert(
      fc.property(input, (given) => {
        const asked = host({
          ...given,
          silent: true,
          own: given.own.map((own) => ({ ...own, whenSilent: "Publish" as const })),
        });
        const published = new Set(targets(planHost(asked).endpoints));
        expect(asked.own.flatMap((own) => targets(own.endpoints)).filter((target) => !published.has(target))).toEqual(
          [],
        );
      }),
    );
  });
});
