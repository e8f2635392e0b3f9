import { describe, expect, test } from "vitest";
import { stopOf } from "./refusals.ts";
import { planSecrets, valuesOf } from "./secrets.ts";
import type { Ran } from "./wrangler.ts";

const ADMIN_TOKEN = "admin-0123456789-0123456789";
const all = planSecrets([], [], {});

describe("secrets", () => {
  test("what the account has is kept, unless it is to be renewed", () => {
    expect(planSecrets(["ADMIN_TOKEN", "HEADER_KEY", "OTHER"], ["HEADER_KEY"], { VIEW_TOKEN: "given" })).toEqual({
      kept: ["ADMIN_TOKEN"],
      set: [
        { name: "VIEW_TOKEN", from: "given" },
        { name: "HEADER_KEY", from: "made" },
      ],
    });
  });

  test("those that are made are 32 random bytes each, in the form that the edge takes", () => {
    let next = 0xf9;
    const values = valuesOf(all, {}, (bytes) => Buffer.alloc(bytes, next++));
    expect(values.HEADER_KEY).toBe(Buffer.alloc(32, 0xfb).toString("base64"));
    expect(new Set(Object.values(valuesOf(all, {}))).size).toBe(3);
    expect(values.ADMIN_TOKEN).toMatch(/^[\w-]{43}$/);
  });

  test.each([
    ["too short a token", { ADMIN_TOKEN: "short" }, "ADMIN_TOKEN must have at least 16 characters"],
    ["a key of another length", { HEADER_KEY: "c2hvcnQ=" }, "HEADER_KEY must be 32 bytes in base64"],
    ["one token for both", { ADMIN_TOKEN, VIEW_TOKEN: ADMIN_TOKEN }, "VIEW_TOKEN must differ from ADMIN_TOKEN"],
  ])("refuses %s, without saying it", (_, given, text) => {
    const attempt = () => valuesOf(planSecrets([], [], given), given);
    expect(attempt).toThrow(text);
    expect(attempt).not.toThrow(Object.values(given)[0]);
  });
});

const ran = (change: Partial<Ran>): Ran => ({ code: 1, stdout: "", stderr: "", outcomes: [], ...change });

describe("why wrangler refuses", () => {
  test.each([
    ["by the number", { outcomes: [{ type: "command-failed", code: 100328, message: "" }] }, /Workers Free plan/],
    ["by its words", { stderr: "CPU limits are not supported for the Free plan." }, /Workers Free plan/],
    ["by the number in its words", { stderr: "Authentication error [code: 10000]" }, /lacks a right/],
    ["without a network", { stderr: "getaddrinfo ENOTFOUND api.cloudflare.com" }, /cannot be reached/],
    [
      "where nothing is known of it",
      { stderr: "A\nTeapot." },
      /failed while trying\. Its output:\n {2}A\n {2}Teapot\.$/,
    ],
  ])("is told %s", (_, change, text) => {
    const { message, next } = stopOf(ran(change), "trying");
    expect(message).toMatch(text);
    expect(next).not.toBe("");
  });
});
