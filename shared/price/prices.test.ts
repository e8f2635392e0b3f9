import { describe, expect, it } from "vitest";
import { NO_USAGE } from "../model/usage.ts";
import { amountsOf, costOf, route53Usd } from "./prices.ts";

const MILLION = 1_000_000;

describe("the list price of a month", () => {
  it.each([
    [{ requests: MILLION }, "requests", 0.15],
    // An object that never sleeps: 30 days × 86,400 s × 0.128 GB.
    [{ awakeMs: 30 * 86_400_000 }, "gbSeconds", 4.1472],
    [{ rowsWritten: MILLION }, "rowsWritten", 1],
    [{ rowsRead: MILLION }, "rowsRead", 0.001],
  ] as const)("of %j in 30 days is all %s", (used, item, usd) => {
    const cost = costOf({ ...NO_USAGE, ...used }, 30);
    expect(cost.items[item]).toBeCloseTo(usd, 10);
    expect(cost.usd).toBeCloseTo(usd, 10);
  });

  it("goes on as the days did, and adds up", () => {
    const usage = { requests: 100_000, awakeMs: 3_600_000, rowsWritten: 50_000, rowsRead: 2 * MILLION };
    const day = costOf(usage, 1);
    expect(day.usd).toBeCloseTo(30 * (0.015 + 3_600 * 0.128 * 12.5e-6 + 0.05 + 0.002), 10);
    expect(costOf(usage, 0.5).usd).toBeCloseTo(2 * day.usd, 10);
  });

  it("has time in the memory that an object is billed for", () => {
    expect(amountsOf({ ...NO_USAGE, awakeMs: 1_000 }).gbSeconds).toBe(0.128);
  });
});

describe("Route 53's price of a check", () => {
  it.each([
    [{ isHttps: false, intervalMs: 30_000, readsBody: false }, 0.75],
    [{ isHttps: true, intervalMs: 30_000, readsBody: false }, 2.75],
    [{ isHttps: true, intervalMs: 10_000, readsBody: false }, 4.75],
    [{ isHttps: true, intervalMs: 10_000, readsBody: true }, 6.75],
    [{ isHttps: false, intervalMs: 60_000, readsBody: false }, 0.75],
  ])("%j", (check, usd) => {
    expect(route53Usd(check)).toBe(usd);
  });
});
