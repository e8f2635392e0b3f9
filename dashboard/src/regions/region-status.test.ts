import { describe, expect, it } from "vitest";
import type { Overview } from "../../../shared/model/overview.ts";
import type { RegionView } from "../../../shared/model/region-view.ts";
import { MAP, project } from "./projection.ts";
import { regionStatuses } from "./region-status.ts";

const view = (more: Partial<RegionView>): RegionView => ({
  region: "weur",
  shards: 2,
  silentShards: 0,
  probes: 30,
  colos: [],
  lastReportAt: 1,
  suspect: false,
  ...more,
});

function overview(regions: RegionView[], unhealthy = 0): Overview {
  const says = unhealthy === 0 ? ("Healthy" as const) : ("Unhealthy" as const);
  const record = {
    rootHost: "a",
    state: "Healthy" as const,
    clusters: [],
    leaves: [],
    regions: [{ region: "weur" as const, says, unhealthy, probes: 30 }],
    decidedAt: 1,
  };
  return { at: 1, partitions: 1, role: "viewer", addressesHidden: false, records: [record], regions, clusters: [] };
}

describe("a region", () => {
  it.each<[Partial<RegionView>, number, string, string]>([
    [{}, 0, "Healthy", "sees 30 probes in order"],
    [{}, 2, "Degraded", "sees 2 of 30 probes unhealthy"],
    [{ silentShards: 2 }, 2, "Unknown", "silent: counts for nothing until it reports again"],
    [{ silentShards: 1 }, 0, "Warning", "1 of 2 shards silent; sees 30 probes in order"],
    [
      { suspect: true },
      9,
      "Warning",
      "suspect: most of its probes turned at one moment; sees 9 of 30 probes unhealthy",
    ],
  ])("with %j that sees %i unhealthy is %s: %s", (more, unhealthy, tone, words) => {
    expect(regionStatuses(overview([view(more)], unhealthy))).toMatchObject([{ tone, words }]);
  });

  it("that never reported is awaited", () => {
    const { lastReportAt: _, ...never } = view({ silentShards: 2 });
    expect(regionStatuses(overview([never]))).toMatchObject([{ tone: "Pending", words: "has not reported yet" }]);
  });

  it("that looks at nothing is not shown, and the others go from west to east", () => {
    const regions = [view({ region: "oc" }), view({ region: "enam" }), view({ region: "sam", shards: 0 })];
    expect(regionStatuses(overview(regions)).map((one) => one.view.region)).toEqual(["enam", "oc"]);
  });
});

it("the map has its middle near Greenwich, and no land is cut at its edge", () => {
  const [x] = project([11.6, 0]);
  expect(x).toBeCloseTo(MAP.width / 2);
  const [chukotka, alaska] = [project([-170, 66])[0], project([-167, 65])[0]];
  expect(chukotka).toBeGreaterThan(0.85 * MAP.width);
  expect(alaska).toBeLessThan(0.15 * MAP.width);
});
