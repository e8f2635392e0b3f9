import { describe, expect, it } from "vitest";
import { contact, delivered, delivery } from "../../test/support/agent/delivered.ts";
import { readDelivery } from "./delivered.ts";

const number = { epoch: 1, n: 2 };
const record = delivered("x.test", ["192.0.2.1"]);
const named = (dnsName: string, rootHost = "x.test") => ({
  ...record,
  rootHost,
  endpoints: [{ ...record.endpoints[0], dnsName }],
});

function read(json: unknown) {
  const result = readDelivery(json);
  if (!result.ok) return result.errors;
  const { delivery: got } = result;
  if (got.kind === "Contact") return got.kind;
  return { records: got.records.map(({ rootHost }) => rootHost), refused: got.refused };
}

describe("a delivery", () => {
  it("is read whole, or as mere contact", () => {
    expect(read(delivery(number, [record]))).toEqual({ records: ["x.test"], refused: [] });
    expect(read(contact(number, 1))).toEqual("Contact");
  });

  it.each(["x.test", "a.x.test", "*.x.test"])("may name %s under x.test", (name) => {
    expect(read(delivery(number, [named(name)]))).toMatchObject({ refused: [] });
  });

  it.each(["y.test", "test", "ax.test", "*.test"])("may not name %s under x.test", (name) => {
    const refused = [`records[0]: ${name} is not under the rootHost x.test`];
    expect(read(delivery(number, [named(name), delivered("z.test", ["192.0.2.1"])]))).toEqual({
      records: ["z.test"],
      refused,
    });
  });

  it("may name the name under a wildcard root host", () => {
    expect(read(delivery(number, [named("x.test", "*.x.test")]))).toMatchObject({ refused: [] });
  });

  it.each([
    ["no number", { ...(delivery(number, []) as object), number: undefined }],
    ["a number of texts", { ...(delivery(number, []) as object), number: { epoch: "1", n: "2" } }],
    ["a negative number", { ...(delivery(number, []) as object), number: { epoch: 1, n: -1 } }],
    ["another version", { ...(delivery(number, []) as object), version: 2 }],
    ["no records", { ...(delivery(number, []) as object), records: undefined }],
    ["records that are no list", { ...(delivery(number, []) as object), records: {} }],
  ])("with %s is refused as a whole", (_, json) => {
    expect(readDelivery(json).ok).toBe(false);
  });
});
