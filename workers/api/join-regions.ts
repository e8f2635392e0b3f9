import type { RegionView } from "../../shared/model/region-view.ts";

/** Joins the views of all partitions into one view for each region, sorted by name. */
export function joinRegions(views: readonly RegionView[]): RegionView[] {
  const byRegion = Map.groupBy(views, ({ region }) => region);
  const joined = [...byRegion.values()].map((parts) => parts.reduce(join));
  return joined.sort((a, b) => (a.region < b.region ? -1 : 1));
}

function join(a: RegionView, b: RegionView): RegionView {
  const lastReportAt = latest(a.lastReportAt, b.lastReportAt);
  const lateMs = latest(a.lateMs, b.lateMs);
  return {
    region: a.region,
    shards: a.shards + b.shards,
    silentShards: a.silentShards + b.silentShards,
    probes: a.probes + b.probes,
    colos: [...new Set([...a.colos, ...b.colos])].sort(),
    ...(lastReportAt !== undefined && { lastReportAt }),
    ...(lateMs !== undefined && { lateMs }),
    suspect: a.suspect || b.suspect,
  };
}

function latest(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Math.max(a, b);
}
