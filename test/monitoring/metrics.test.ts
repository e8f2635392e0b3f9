import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { Exposition } from "../../workers/api/metrics/exposition.ts";
import { FAMILIES } from "../../workers/api/metrics/families.ts";
import { addClusters, addRecords, addRegions, addUsage, MAX_SERIES } from "../../workers/api/metrics/series.ts";
import { type Shown, shownRecords } from "../support/shown-records.ts";
import { HAS_PROMTOOL, promtool } from "./promtool.ts";

const MEGABYTE = 1_000_000;

function scrape(shown: Shown): string {
  const to = new Exposition();
  to.add("buildInfo", { version: "0.1.0" }, 1);
  to.add("settingFaults", { setting: "NOTIFICATIONS" }, 1);
  to.add("partitionUp", { partition: "0" }, 1);
  addRecords(to, shownRecords(shown));
  const region = { shards: 34, silentShards: 0, probes: 1_000, colos: ["FRA"], suspect: false };
  addRegions(to, [{ region: "weur", ...region, lastReportAt: 1_796_112_764_123, lateMs: 12 }]);
  const used = { requests: 2_880, rowsRead: 14_400, rowsWritten: 3_168, awakeMs: 2_016_000 };
  const today = { since: 1_796_083_200_000, probers: { weur: used }, coordinators: used, clusters: used };
  addUsage(to, today, "free");
  const health = { reachable: true, failures: 0, backlog: false, conditions: [] };
  const times = { lastSnapshotAt: 1_796_112_720_000, lastDeliveryAt: 1_796_112_720_000 };
  addClusters(
    to,
    new Map([
      ["europe-west", { cluster: "europe-west", records: 500, ...health, ...times }],
      ['a "strange"\\one\n', undefined],
    ]),
  );
  return to.text();
}

describe("a scrape of everything", () => {
  const small = scrape({ records: 3, leaves: 2, regions: 3 });

  it("has each metric that there is", () => {
    for (const { name } of Object.values(FAMILIES)) expect(small).toContain(`# TYPE ${name} `);
  });

  it.skipIf(!HAS_PROMTOOL)("is accepted by promtool, which has no advice either", () => {
    expect(promtool(["check", "metrics"], small)).toEqual({ ok: true, said: "" });
  });

  it.skipIf(!HAS_PROMTOOL)("is held against what promtool refuses", () => {
    expect(promtool(["check", "metrics"], small.replaceAll('"} ', '" ')).ok).toBe(false);
    expect(promtool(["check", "metrics"], "# TYPE vedette_ms gauge\nvedette_ms 1\n").said).toContain("no help text");
  });
});

describe("a scrape of 1,000 probes from nine regions", () => {
  const text = scrape({ records: 500, leaves: 2, regions: 9 });
  const series = text.split("\n").filter((line) => line !== "" && !line.startsWith("#")).length;

  // docs/metrics.md states these bounds.
  it("is whole, and no larger than documented", () => {
    expect(text).toContain('vedette_edge_series_left_out{kind="regional"} 0\n');
    expect(series).toBeLessThan(MAX_SERIES / 1.9);
    expect(text.length).toBeLessThan(10 * MEGABYTE);
    expect(gzipSync(text).length).toBeLessThan(0.5 * MEGABYTE);
  });

  it.skipIf(!HAS_PROMTOOL)("is accepted by promtool", () => {
    expect(promtool(["check", "metrics"], text)).toEqual({ ok: true, said: "" });
  });
});
