import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalHost } from "../../shared/model/host.ts";
import { objectName } from "../../shared/model/record.ts";
import { probeName, recordLabels } from "./metadata.ts";

const LABEL_VALUE = /^[a-zA-Z0-9]([-a-zA-Z0-9_.]{0,61}[a-zA-Z0-9])?$/;

const label = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);
const name = fc
  .oneof(fc.stringMatching(/^[a-c]([-.a-c]{0,4}[a-c])?$/), fc.array(label, { minLength: 1, maxLength: 6 }))
  .map((given) => (typeof given === "string" ? given : given.join(".")))
  .filter((text) => objectName.safeParse(text).success);
const leaf = fc.oneof(
  fc.ipV4(),
  fc.ipV6().map((address) => address.toLowerCase()),
  name.filter((text) => "host" in canonicalHost(text)),
);

describe("the name of a probe object", () => {
  it.each([
    ["api", "203.0.113.10", "api-203.0.113.10"],
    ["api", "lb.example.com", "api-lb.example.com"],
    ["api", "lb-1.example.com", expect.stringMatching(/^api-lb-1\.example\.com-[0-9a-f]{8}$/)],
    ["api", "2001:db8::1", expect.stringMatching(/^api-2001-db8--1-[0-9a-f]{8}$/)],
    ["api", "2001:db8::", expect.stringMatching(/^api-2001-db8-[0-9a-f]{8}$/)],
    ["api", "localhost", expect.stringMatching(/^api-localhost-[0-9a-f]{8}$/)],
  ])("of %s and %s is %s", (record, address, expected) => {
    expect(probeName(record, address)).toEqual(expected);
  });

  it("is legal, whatever record and leaf are called", () => {
    fc.assert(
      fc.property(name, leaf, (record, address) => {
        expect(objectName.safeParse(probeName(record, address)).success).toBe(true);
      }),
    );
  });

  it("is another for each record and leaf of a namespace", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(name, leaf), { maxLength: 30 }), (pairs) => {
        const byName = Map.groupBy(pairs, ([record, address]) => probeName(record, address));
        for (const same of byName.values()) expect(new Set(same.map((pair) => pair.join(" "))).size).toBe(1);
      }),
    );
    expect(probeName("a", "b-c.test")).not.toBe(probeName("a-b", "c.test"));
    expect(probeName("a", "x.b-c.d")).not.toBe(probeName("a-x.b", "c.d"));
  });

  it("stays within 253 characters, and differs beyond them", () => {
    const long = "a.".repeat(126);
    const [one, two] = [probeName(`${long}x`, "192.0.2.1"), probeName(`${long}x`, "192.0.2.2")];
    expect([one.length <= 253, two.length <= 253, one === two]).toEqual([true, true, false]);
    expect(objectName.safeParse(one).success).toBe(true);
  });
});

describe("the label that names the record", () => {
  it("is legal and another for each record", () => {
    fc.assert(
      fc.property(name, name, (one, two) => {
        const [first, second] = [recordLabels(one), recordLabels(two)];
        expect(first["vedette.dev/record"]).toMatch(LABEL_VALUE);
        expect(first["vedette.dev/record"] === second["vedette.dev/record"]).toBe(one === two);
      }),
    );
    expect(recordLabels(`${"a".repeat(53)}.${"b".repeat(100)}`)["vedette.dev/record"]).toMatch(LABEL_VALUE);
  });
});
