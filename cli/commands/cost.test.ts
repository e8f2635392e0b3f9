import { describe, expect, it } from "vitest";
import { NO_USAGE } from "../../shared/model/usage.ts";
import { usageView } from "../../shared/model/usage-view.ts";
import { usageViewOf } from "../../shared/price/usage-view.ts";
import { costText } from "../commands/cost.ts";

const MIDNIGHT = Date.UTC(2026, 11, 2);
const HOUR = 3_600_000;
const PROBERS = { requests: 2_880, rowsRead: 14_400, rowsWritten: 3_168, awakeMs: 2_016_000 };
const COORDINATOR = { requests: 12_000, rowsRead: 40_000, rowsWritten: 9_000, awakeMs: 60_000 };
const CLUSTER = { requests: 3_000, rowsRead: 9_000, rowsWritten: 1_800, awakeMs: 180_000 };
const EMPTY = { coordinators: NO_USAGE, clusters: NO_USAGE, probers: {} };
const day = (since: number) => ({
  since,
  probers: { enam: PROBERS, weur: PROBERS },
  coordinators: COORDINATOR,
  clusters: CLUSTER,
});

describe("the cost", () => {
  it("is that of yesterday, where all of it was counted", () => {
    const days = { today: { ...EMPTY, since: MIDNIGHT }, yesterday: day(MIDNIGHT - 24 * HOUR) };
    const seen = usageViewOf([{ days, endpoints: 20, route53Usd: 55 }], "paid", MIDNIGHT + HOUR);
    expect(usageView.parse(seen)).toEqual(seen);
    expect(costText(seen)).toBe(
      [
        "20 endpoints · a month that goes on like yesterday · list prices of 2026-11-30",
        "",
        "              REQUESTS   GB-SECONDS AWAKE  ROWS WRITTEN  ROWS READ       USD A MONTH",
        "probers       172,800    15,483            190,080       864,000         $0.4104",
        "coordinators  360,000    230               270,000       1,200,000       $0.3281",
        "clusters      90,000     691               54,000        270,000         $0.0764",
        "all           622,800    16,404            514,080       2,334,000       $0.8149",
        "included      1,000,000  400,000           50,000,000    25,000,000,000",
        "",
        "An endpoint costs $0.0407 a month.",
        "What dominates: rows written of coordinators 33 %, GB-seconds awake of probers 24 %, rows written of probers 23 %.",
        "The paid plan takes $5.00 a month for the whole account, and includes all of this.",
        "Route 53 would take $55.00 a month for the same checks.",
      ].join("\n"),
    );
  });

  it("is that of today so far on the day of install, with what the free plan allows", () => {
    const days = { today: day(MIDNIGHT + 6 * HOUR) };
    const seen = usageViewOf([{ days, endpoints: 1, route53Usd: 2.75 }], "free", MIDNIGHT + 18 * HOUR);
    expect(seen.monthUsd).toBeCloseTo(2 * 0.8149, 3);
    const text = costText(seen);
    expect(text).toContain("1 endpoint · a month that goes on like today so far (12 h)");
    expect(text).not.toContain("included");
    expect(text).toContain(
      "allows in a day, used today: requests 21 %, GB-seconds awake 4 %, rows written 17 %, rows read 2 %.",
    );
  });

  it("says what comes on top of the paid plan", () => {
    const days = { today: { ...EMPTY, since: MIDNIGHT, coordinators: { ...NO_USAGE, requests: 100_000 } } };
    const seen = usageViewOf([{ days, endpoints: 900, route53Usd: 0 }], "paid", MIDNIGHT + 24 * HOUR - 1);
    expect(costText(seen)).toContain("beyond what it includes this is $0.3000.");
  });

  it("of several partitions is that of all, and of none is nothing", () => {
    const days = { today: day(MIDNIGHT) };
    const one = { days, endpoints: 3, route53Usd: 1 };
    const seen = usageViewOf([one, one], "paid", MIDNIGHT + HOUR);
    expect(seen).toMatchObject({ endpoints: 6, route53Usd: 2, today: { total: { requests: 2 * 20_760 } } });
    expect(costText(usageViewOf([], "paid", MIDNIGHT))).toContain("0 endpoints");
  });
});
