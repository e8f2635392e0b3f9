import { expect, it } from "vitest";
import { z } from "zod";
import { exportedCluster } from "./export.ts";
import { fieldErrors, formatFieldError } from "./field-error.ts";
import { snapshotRecord } from "./messages/snapshot.ts";

const SECRET = "S3CR3T";

function told(schema: z.ZodType, input: unknown, root?: string): string[] {
  const result = schema.safeParse(input);
  return result.success ? [] : fieldErrors(result.error, input, root).map(formatFieldError);
}

it("names field, value and rule, below a root", () => {
  const schema = z.strictObject({ list: z.array(z.strictObject({ size: z.int().max(3) })) });
  expect(told(schema, { list: [{ size: 1 }, { size: 4 }] }, "spec")).toEqual([
    "spec.list[1].size: 4 must be at most 3",
  ]);
});

it("tells of every fault, unknown fields one by one", () => {
  const schema = z.strictObject({ a: z.string(), b: z.enum(["x", "y"]) });
  expect(told(schema, { b: "z", c: 1, d: 2 })).toEqual([
    "a: is required",
    'b: "z" must be one of x, y',
    "c: is not a known field",
    "d: is not a known field",
  ]);
});

it("cuts long values", () => {
  const [message] = told(z.strictObject({ a: z.enum(["x"]) }), { a: "y".repeat(1_000) });
  expect(message?.length).toBeLessThan(120);
});

it("never shows the value of a header or another secret", () => {
  const record = { namespace: "shop", name: "api", spec: {}, headers: { "X-Api-Key": { value: SECRET } } };
  const messages = told(snapshotRecord, record);
  expect(messages).toContain("headers.X-Api-Key: must be a string");
  expect(messages.join("\n")).not.toContain(SECRET);
  const secret = z.looseObject({ stringData: z.record(z.string(), z.string()) });
  expect(told(secret, { stringData: SECRET }).join()).not.toContain(SECRET);
  expect(told(exportedCluster, { kind: "Cluster", secrets: [SECRET] }).join()).not.toContain(SECRET);
  expect(told(secret, { stringData: { Authorization: [SECRET] } }).join()).not.toContain(SECRET);
});
