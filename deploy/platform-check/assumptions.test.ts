import { describe, expect, test } from "vitest";
import { ASSUMPTIONS, judgePlacement } from "./assumptions.ts";
import { MEASUREMENTS } from "./protocol.ts";

describe("assumptions", () => {
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
    const finding = ASSUMPTIONS[measurement].judge(figures, 1);
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
      /^refused beside .*: refused/,
      /TOGETHER=1 /,
    ],
    ["no limit", { own: "opened" }, cases(() => 14), "unknown", /no limit is visible/, /proves nothing/],
    ["too few cases", {}, { "1x1": 9, "3x1": 9, "5x1": 9 }, "assumed", /counted apart/, undefined],
    ["no case", { hanging: 0 }, {}, "unknown", /did not hang/, /--black-hole/],
    ["nothing accepts", { aloneOutcome: "ConnectFailed" }, {}, "unknown", /^ConnectFailed$/, /--open/],
  ] as const)("loopbacks' dials, %s", (_, change, seen, verdict, found, advice) => {
    const { dialsTogether: set, ...limited } = { aloneMs: 12, own: "pending", hanging: 6, dialsTogether: 1, ...change };
    const finding = ASSUMPTIONS["loopback-dials"].judge({ ...limited, ...seen }, set);
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
