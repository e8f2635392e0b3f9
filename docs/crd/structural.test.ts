import { describe, expect, it } from "vitest";
import { z } from "zod";
import { cel } from "../../shared/model/cel.ts";
import { structural } from "./structural.ts";

const ofSchema = (schema: z.ZodType, path = "spec") => structural(z.toJSONSchema(schema, { io: "input" }), path);
const rule = { rule: "self > 0", message: "must be more than 0" };

describe("a structural schema", () => {
  it.each([
    [
      "a text with its limits",
      z.string().min(1).max(3).regex(/^a/),
      { type: "string", minLength: 1, maxLength: 3, pattern: "^a" },
    ],
    ["a constant is an enumeration of one", z.literal("a"), { type: "string", enum: ["a"] }],
    ["a whole number without the bounds that all have", z.int(), { type: "integer" }],
    ["a whole number with one bound", z.int().min(0), { type: "integer", minimum: 0 }],
    ["a rule in CEL", z.int().meta(cel(rule)), { type: "integer", "x-kubernetes-validations": [rule] }],
    [
      "a number or a text",
      z.union([z.int(), z.enum(["All"])]).default("All"),
      { "x-kubernetes-int-or-string": true, default: "All" },
    ],
    [
      "a list is one value unless it says otherwise",
      z.array(z.string()).max(2),
      { type: "array", maxItems: 2, "x-kubernetes-list-type": "atomic", items: { type: "string" } },
    ],
    [
      "a list by key",
      z.array(z.string()).meta({ "x-kubernetes-list-type": "set" }),
      { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
    ],
    [
      "a map",
      z.record(z.string(), z.string().max(5)),
      { type: "object", additionalProperties: { type: "string", maxLength: 5 } },
    ],
    [
      "an object, and what of it is required",
      z.strictObject({ a: z.string().describe("A."), b: z.boolean().default(true).describe("B.") }),
      {
        type: "object",
        required: ["a"],
        properties: {
          a: { description: "A.", type: "string" },
          b: { description: "B.", type: "boolean", default: true },
        },
      },
    ],
    [
      "an object that is one value",
      z.strictObject({ a: z.string().describe("A.") }).meta({ "x-kubernetes-map-type": "atomic" }),
      {
        type: "object",
        required: ["a"],
        "x-kubernetes-map-type": "atomic",
        properties: { a: { description: "A.", type: "string" } },
      },
    ],
    [
      "an object whose fields are not known",
      z.record(z.string(), z.unknown()).meta({ "x-kubernetes-preserve-unknown-fields": true }),
      { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    ],
  ])("%s", (_, schema, form) => {
    expect(ofSchema(schema.describe("X."))).toEqual({ description: "X.", ...form });
  });

  it("adds nothing to a status and does not judge it", () => {
    const schema = z.object({ a: z.int().meta(cel(rule)).default(1).describe("A.") }).describe("X.");
    expect(ofSchema(schema, "status")).toEqual({
      description: "X.",
      type: "object",
      properties: { a: { description: "A.", type: "integer" } },
    });
  });

  it.each([
    ["a field without a description", z.object({ a: z.string() }), "spec.a has no description"],
    [
      "another union",
      z.object({ a: z.union([z.string(), z.object({})]).describe("A.") }),
      "spec.a is a union of other things than a number and a string",
    ],
    [
      "a value of any form",
      z.object({ a: z.unknown().describe("A.") }),
      "spec.a has a form that a structural schema cannot have",
    ],
  ])("there is none for %s", (_, schema, message) => {
    expect(() => ofSchema(schema.describe("X."))).toThrow(message);
  });
});
