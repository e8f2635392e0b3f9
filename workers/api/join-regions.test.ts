import { expect, it } from "vitest";
import type { RegionView } from "../../shared/model/region-view.ts";
import { joinRegions } from "./join-regions.ts";

const view = (change: Partial<RegionView>): RegionView => ({
  region: "weur",
  shards: 1,
  silentShards: 0,
  probes: 10,
  colos: ["AMS"],
  suspect: false,
  ...change,
});

it("joins what partitions say of one region: sums, the latest report, the worst delay, any suspicion", () => {
  const views = [
    view({ lastReportAt: 5, lateMs: 7 }),
    view({ region: "apac", colos: ["SIN"] }),
    view({ lastReportAt: 9, colos: ["FRA", "AMS"], silentShards: 1, suspect: true }),
  ];
  const before = structuredClone(views);
  expect(joinRegions(views)).toEqual([
    view({ region: "apac", colos: ["SIN"] }),
    view({ shards: 2, silentShards: 1, probes: 20, colos: ["AMS", "FRA"], lastReportAt: 9, lateMs: 7, suspect: true }),
  ]);
  expect(views).toEqual(before);
  expect(joinRegions([])).toEqual([]);
});
