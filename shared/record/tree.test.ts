import { describe, expect, it } from "vitest";
import { geo, plain, weighted } from "../../test/support/rules.ts";
import type { Endpoint } from "../model/endpoint.ts";
import { formatFieldError } from "../model/field-error.ts";
import { readTree } from "./tree.ts";

const [a, b] = ["203.0.113.1", "203.0.113.2"];

function faults(...endpoints: Endpoint[]): string[] {
  const reading = readTree(endpoints);
  return reading.ok ? [] : reading.errors.map(formatFieldError);
}

function shape(...endpoints: Endpoint[]) {
  const reading = readTree(endpoints);
  if (!reading.ok) throw new Error(reading.errors.map(formatFieldError).join("; "));
  return { roots: reading.tree.roots, leaves: reading.tree.leaves };
}

describe("a record as a graph", () => {
  it("finds roots and leaves, sorted, each once", () => {
    expect(
      shape(
        plain("x.test", "CNAME", "lb.x.test"),
        weighted(1, "lb.x.test", "CNAME", "eu.x.test"),
        weighted(1, "lb.x.test", "CNAME", "us.x.test"),
        plain("eu.x.test", "A", b, a, b),
        plain("us.x.test", "CNAME", "cdn.example"),
      ),
    ).toEqual({ roots: ["x.test"], leaves: [a, b, "cdn.example"] });
  });

  it("two names that share a child share its leaves", () => {
    const two = [
      plain("a.x.test", "CNAME", "c.x.test"),
      plain("b.x.test", "CNAME", "c.x.test"),
      plain("c.x.test", "A", a),
    ];
    expect(shape(...two)).toEqual({ roots: ["a.x.test", "b.x.test"], leaves: [a] });
  });

  it("a dual-stack name is one root with the leaves of both families", () => {
    expect(shape(plain("x.test", "A", a), plain("x.test", "AAAA", "2001:db8::1"))).toEqual({
      roots: ["x.test"],
      leaves: ["2001:db8::1", a],
    });
  });

  it("a CNAME target given twice is one target", () => {
    expect(shape(plain("x.test", "CNAME", "lb.example", "lb.example")).leaves).toEqual(["lb.example"]);
  });

  it("a wildcard beside its apex is a root of its own", () => {
    expect(shape(plain("*.x.test", "A", a), plain("x.test", "A", a)).roots).toEqual(["*.x.test", "x.test"]);
  });

  it("does not change what it reads", () => {
    const endpoints = [plain("x.test", "A", b, a, b)];
    const before = structuredClone(endpoints);
    readTree(endpoints);
    expect(endpoints).toEqual(before);
  });
});

describe("refused by name", () => {
  it.each<[string, Endpoint[], string[]]>([
    ["no endpoints", [], ["endpoints: must hold at least one endpoint"]],
    [
      "a name that points to itself",
      [plain("x.test", "CNAME", "x.test")],
      ["endpoints[0].targets: must not close a cycle: x.test → x.test"],
    ],
    [
      "a cycle below a root",
      [
        plain("x.test", "CNAME", "a.x.test"),
        plain("a.x.test", "CNAME", "b.x.test"),
        plain("b.x.test", "CNAME", "a.x.test"),
      ],
      ["endpoints[2].targets: must not close a cycle: a.x.test → b.x.test → a.x.test"],
    ],
    [
      "a cycle beside the root",
      [plain("x.test", "A", a), plain("a.x.test", "CNAME", "b.x.test"), plain("b.x.test", "CNAME", "a.x.test")],
      ["endpoints[2].targets: must not close a cycle: a.x.test → b.x.test → a.x.test"],
    ],
    [
      "a cycle through a wildcard, which answers for the name",
      [plain("*.x.test", "CNAME", "foo.x.test")],
      ["endpoints[0].targets: must not close a cycle: *.x.test → foo.x.test"],
    ],
    [
      "the same beside a name of its own",
      [plain("x.test", "A", a), plain("*.x.test", "CNAME", "foo.x.test")],
      ["endpoints[1].targets: must not close a cycle: *.x.test → foo.x.test"],
    ],
    [
      "a CNAME with other data",
      [plain("x.test", "CNAME", "lb.example"), plain("x.test", "A", a)],
      ['endpoints[0].recordType: "CNAME" must be the only type at x.test, which has A too (RFC 1034 §3.6.2)'],
    ],
    [
      "one key twice",
      [plain("x.test", "A", a), plain("x.test", "A", b)],
      ['endpoints[1]: "x.test A" must differ from endpoints[0] in dnsName, recordType or setIdentifier'],
    ],
    [
      "one key twice, of a set",
      [geo("EU", "x.test", "A", a), geo("EU", "x.test", "A", b)],
      ['endpoints[1]: "x.test A EU" must differ from endpoints[0] in dnsName, recordType or setIdentifier'],
    ],
    [
      "weighted and geo at one name",
      [weighted(1, "x.test", "A", a), geo("EU", "x.test", "A", b)],
      [
        'endpoints[1]: "x.test A EU" must be routed like the other endpoints of x.test: all plain, all weighted or all geo',
      ],
    ],
    [
      "plain and set at one name, in another family too",
      [plain("x.test", "A", a), geo("EU", "x.test", "AAAA", "2001:db8::1")],
      [
        'endpoints[1]: "x.test AAAA EU" must be routed like the other endpoints of x.test: all plain, all weighted or all geo',
      ],
    ],
    [
      "weighted and geo in one endpoint",
      [
        {
          ...geo("EU", "x.test", "A", a),
          providerSpecific: [
            { name: "weight", value: "1" },
            { name: "geo-code", value: "EU" },
          ],
        },
      ],
      ["endpoints[0].providerSpecific: must not be weighted and geo at once"],
    ],
    [
      "a weight that is none",
      [{ ...geo("EU", "x.test", "A", a), providerSpecific: [{ name: "aws/weight", value: "-1" }] }],
      ['endpoints[0].providerSpecific: has the weight "-1": must be a whole number from 0'],
    ],
  ])("%s", (_, endpoints, messages) => {
    expect(faults(...endpoints)).toEqual(messages);
  });

  it("finds every fault, not only the first", () => {
    expect(faults(plain("x.test", "CNAME", "x.test"), plain("x.test", "A", a))).toHaveLength(2);
  });

  it("a target under the wildcard's parent that another name encloses is no cycle (RFC 4592)", () => {
    expect(faults(plain("*.x.test", "CNAME", "c.b.x.test"), plain("a.b.x.test", "A", a))).toEqual([]);
  });

  it("survives 500 names in a row, and a cycle of 500", () => {
    const chain = Array.from({ length: 500 }, (_, n) => plain(`n${n}.x.test`, "CNAME", `n${n + 1}.x.test`));
    expect(faults(...chain)).toEqual([]);
    expect(faults(...chain, plain("n500.x.test", "CNAME", "n0.x.test"))).toHaveLength(1);
  });
});
