import { expect, test } from "vitest";
import { digestOf } from "./accepted-specs.ts";

test("the digest of a spec is the same for each that says the same, however often it is asked for", () => {
  const spec = { rootHost: "a.example.com" };
  expect(digestOf(spec)).toBe(digestOf(spec));
  expect(digestOf({ ...spec })).toBe(digestOf(spec));
  expect(digestOf({ rootHost: "b.example.com" })).not.toBe(digestOf(spec));
  expect(digestOf("text")).toBe(digestOf("text"));
});
