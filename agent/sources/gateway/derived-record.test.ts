import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { objectName } from "../../../shared/model/record.ts";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { labelValue, recordName } from "./derived-record.ts";

const name = fc.stringMatching(/^[a-c]([-.a-c]{0,6}[a-c])?$/).filter((text) => objectName.safeParse(text).success);
const longName = fc.tuple(fc.constantFrom("a", "b-", "c."), fc.integer({ min: 1, max: 126 }), name);
const anyName = fc
  .oneof(
    name,
    longName.map(([part, times, end]) => `${part.repeat(times)}${end}`.replaceAll(/[-.]{2,}/g, "-").slice(0, 253)),
  )
  .filter((text) => objectName.safeParse(text).success);

describe("the name of a record", () => {
  it.each([
    ["web", "https", "web-https"],
    ["prod-web", "https", "prod-web-https"],
    ["web", "api.v1", "web-api.v1"],
  ])("of %s and %s is %s", (gateway, listener, expected) => {
    expect(recordName(gateway, listener)).toBe(expected);
  });

  it("has a hash where it could be read in two ways", () => {
    expect(recordName("a-b", "c")).toBe("a-b-c");
    expect(recordName("a", "b-c")).toMatch(/^a-b-c-[0-9a-f]{8}$/);
  });

  it("is a legal name, of its own, for any two names", () => {
    fc.assert(
      fc.property(anyName, anyName, anyName, anyName, (gateway, listener, other, another) => {
        const one = recordName(gateway, listener);
        expect(objectName.safeParse(one).success).toBe(true);
        if (gateway !== other || listener !== another) expect(recordName(other, another)).not.toBe(one);
      }),
      { numRuns: propertyRuns(2_000) },
    );
  });
});

describe("a label", () => {
  it("holds a name, or the beginning of a long one with a hash", () => {
    expect(labelValue("web")).toBe("web");
    fc.assert(
      fc.property(anyName, (text) => {
        expect(labelValue(text)).toMatch(/^[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?$/);
      }),
    );
  });
});
