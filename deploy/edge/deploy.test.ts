import { describe, expect, test } from "vitest";
import { MEASUREMENTS } from "../../shared/model/self-test.ts";
import { ASSUMPTIONS, judgePlacement } from "./findings.ts";
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
    ["too short a token", { ADMIN_TOKEN: "short" }, "ADMIN_TOKEN must have 16 characters or more"],
    ["a key of another length", { HEADER_KEY: "c2hvcnQ=" }, "HEADER_KEY must be 32 bytes in base64"],
    ["one token for both", { ADMIN_TOKEN, VIEW_TOKEN: ADMIN_TOKEN }, "VIEW_TOKEN must be another than ADMIN_TOKEN"],
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
    ["where nothing is known of it", { stderr: "A\nTeapot." }, /failed while trying\. It says:\n {2}A\n {2}Teapot\.$/],
  ])("is told %s", (_, change, text) => {
    const { message, next } = stopOf(ran(change), "trying");
    expect(message).toMatch(text);
    expect(next).not.toBe("");
  });
});

describe("findings", () => {
  test("there is an assumption for each measurement but the one that is judged for all regions at once", () => {
    expect(["placement", ...Object.keys(ASSUMPTIONS)].sort()).toEqual([...MEASUREMENTS].sort());
  });

  test.each([
    ["closed-port", { outcome: "proxy request failed, cannot connect to the specified address", ms: 40 }, "assumed"],
    ["closed-port", { outcome: "pending", ms: 10_000 }, "unknown"],
    ["closed-port", { outcome: "connection refused", ms: 40 }, "otherwise"],
    ["cloudflare-address", { outcome: "opened", ms: 4 }, "otherwise"],
    ["cloudflare-address", { outcome: "proxy request failed", ms: 4 }, "assumed"],
    ["cloudflare-address", { outcome: "pending", ms: 10_000 }, "otherwise"],
    ["black-hole", { reason: "ConnectTimeout", timeoutMs: 2_000, returnedMs: 2_010 }, "assumed"],
    ["black-hole", { reason: "ConnectTimeout", timeoutMs: 2_000, returnedMs: 21_000 }, "otherwise"],
    ["black-hole", { reason: "ConnectFailed", timeoutMs: 2_000, returnedMs: 20 }, "unknown"],
    ["black-hole-held", { outcome: "proxy request failed", ms: 21_000, otherHangs: false }, "assumed"],
    ["black-hole-held", { outcome: "pending", ms: 40_000, otherHangs: true }, "otherwise"],
    ["black-hole-held", { outcome: "proxy request failed", ms: 3, otherHangs: true }, "otherwise"],
    ["black-hole-held", { outcome: "proxy request failed", ms: 3, otherHangs: false }, "unknown"],
    ["seventh-dial", { outcome: "opened", ms: 20_500, aloneMs: 12, slots: 6, hanging: 0 }, "assumed"],
    ["seventh-dial", { outcome: "opened", ms: 14, aloneMs: 12, slots: 6, hanging: 6 }, "otherwise"],
    ["seventh-dial", { outcome: "opened", ms: 14, aloneMs: 12, slots: 6, hanging: 0 }, "unknown"],
    ["seventh-dial", { outcome: "opened", ms: 14, aloneMs: 18_000, slots: 6, hanging: 6 }, "unknown"],
    ["seventh-dial", { outcome: "proxy request failed", ms: 21_000, aloneMs: 12, slots: 6, hanging: 0 }, "unknown"],
    ["seventh-dial", { aloneOutcome: "proxy request failed", aloneMs: 12 }, "unknown"],
    ["loopback-slots", { outcome: "opened", ms: 15, aloneMs: 12, slots: 6, hung: 6 }, "assumed"],
    ["loopback-slots", { outcome: "opened", ms: 19_000, aloneMs: 12, slots: 6, hung: 6 }, "otherwise"],
    ["loopback-slots", { outcome: "opened", ms: 15, aloneMs: 12, slots: 6, hung: 0 }, "unknown"],
    ["tls", { reason: "Ok", version: "TLSv1.3", cipherSuite: "TLS_AES_128_GCM_SHA256", tlsMs: 30 }, "assumed"],
    [
      "tls",
      { reason: "TLSCertificateInvalid", message: "Self-signed.", connectMs: 3, version: "TLSv1.3" },
      "otherwise",
    ],
    ["tls", { reason: "ConnectFailed", message: "Could not connect." }, "unknown"],
    ["cpu", { exchangeMs: 0.4, workMs: 41, seenInsideMs: 0, exchanges: 100 }, "assumed"],
    ["cpu", { exchangeMs: 0, workMs: 0, seenInsideMs: 0, exchanges: 100 }, "unknown"],
    ["output-gate", { outcome: "opened", plainMs: 12, afterWriteMs: 30, syncMs: 20 }, "assumed"],
    ["output-gate", { outcome: "pending", plainMs: 12, afterWriteMs: 10_000, syncMs: 20 }, "unknown"],
    ["loopbacks", { made: 32, tried: 40, refusal: "too many" }, "assumed"],
    ["loopbacks", { made: 16, tried: 40, refusal: "too many" }, "otherwise"],
    ["alarms", { set: 5, came: 4 }, "otherwise"],
    ["alarms", { set: 5, came: 5, medianLateMs: 8, worstLateMs: 60 }, "assumed"],
    ["waking-alarm", { idleMs: 14_000, lateMs: 90, slept: true }, "assumed"],
    ["waking-alarm", { idleMs: 14_000, lateMs: 90, slept: false }, "unknown"],
    ["waking-alarm", { idleMs: 14_000, lateMs: 1_900, slept: true }, "otherwise"],
    ["waking-alarm", { idleMs: 14_000, limitMs: 62_000 }, "otherwise"],
    ["rows", { plainInsert: 1, indexedInsert: 2, indexedReplace: 4 }, "assumed"],
    [
      "hibernation",
      { idleMs: 14_000, memoryLost: true, pongMs: 3, pingWokeIt: false, answeredByPlatform: true },
      "assumed",
    ],
    [
      "hibernation",
      { idleMs: 14_000, memoryLost: true, pongMs: 3, pingWokeIt: true, answeredByPlatform: true },
      "otherwise",
    ],
    ["hibernation", { idleMs: 14_000, memoryLost: true, pingWokeIt: false, answeredByPlatform: false }, "otherwise"],
    ["hibernation", { idleMs: 14_000, memoryLost: false, pongMs: 3, answeredByPlatform: true }, "otherwise"],
  ] as const)("%s with %o is %s", (measurement, figures, verdict) => {
    const finding = ASSUMPTIONS[measurement].judge(figures);
    expect(finding.verdict).toBe(verdict);
    expect(finding.advice === undefined).toBe(verdict === "assumed");
    expect(finding.found).not.toMatch(/undefined|NaN|\?/);
  });

  const cases = (seen: (dials: number, loopbacks: number) => number | string) =>
    Object.fromEntries(
      [1, 2, 3, 4].flatMap((loopbacks) =>
        [1, 3, 5].map((dials) => [`${dials}x${loopbacks}`, seen(dials, loopbacks)] as const),
      ),
    );
  const limited = { aloneMs: 12, own: "pending", hanging: 6, dialsTogether: 1 };

  test.each([
    ["apart", {}, cases(() => 14), "otherwise", /^counted apart: up to 5 .* 4 loopbacks/, /Set DIALS_TOGETHER=5 /],
    ["apart, as set", { dialsTogether: 5 }, cases(() => 14), "assumed", /DIALS_TOGETHER=5 is right/, undefined],
    ["with the six", {}, cases(() => "waited"), "assumed", /object's six.*DIALS_TOGETHER=1 is right/, undefined],
    ["with the six, set otherwise", { dialsTogether: 5 }, cases(() => "waited"), "otherwise", /six/, /TOGETHER=1 /],
    ["three at once", {}, cases((n) => (n > 3 ? "waited" : 9)), "otherwise", /5 .* each of 1: waited/, /TOGETHER=3 /],
    ["six for all", {}, cases((n, of) => (n * of > 6 ? "waited" : 9)), "assumed", /5 .* each of 2: wait/, undefined],
    [
      "refused",
      { dialsTogether: 3 },
      cases(() => "refused: no"),
      "otherwise",
      /not to be had .*: refused/,
      /TOGETHER=1 /,
    ],
    ["no limit", { own: "opened" }, cases(() => 14), "unknown", /no limit to be seen/, /says nothing/],
    ["too few cases", {}, { "1x1": 9, "3x1": 9, "5x1": 9 }, "assumed", /counted apart/, undefined],
    ["no case", { hanging: 0 }, {}, "unknown", /did not hang/, /--black-hole/],
    ["nothing accepts", { aloneOutcome: "ConnectFailed" }, {}, "unknown", /^ConnectFailed$/, /--open/],
  ] as const)("loopbacks' dials, %s", (_, change, seen, verdict, found, advice) => {
    const finding = ASSUMPTIONS["loopback-dials"].judge({ ...limited, ...change, ...seen });
    expect(finding.verdict).toBe(verdict);
    expect(finding.found).toMatch(found);
    if (advice === undefined) expect(finding.advice).toBeUndefined();
    else expect(finding.advice).toMatch(advice);
  });

  test("two regions in one data centre are one place", () => {
    const findings = judgePlacement(
      new Map([
        ["weur", "FRA"],
        ["eeur", "FRA"],
        ["oc", "SYD"],
        ["me", undefined],
      ]),
    );
    expect([...findings].map(([region, { verdict }]) => `${region} ${verdict}`)).toEqual([
      "weur otherwise",
      "eeur otherwise",
      "oc assumed",
      "me unknown",
    ]);
    expect(findings.get("weur")?.found).toBe("FRA, as eeur");
  });
});
