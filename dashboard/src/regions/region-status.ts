import { counted } from "../../../shared/explain/region-views.ts";
import type { Overview, RecordState, RecordSummary } from "../../../shared/model/overview.ts";
import type { RegionView } from "../../../shared/model/region-view.ts";
import { westToEast } from "./places.ts";

/** The state of a region and a sentence about it. */
export interface RegionStatus {
  view: RegionView;
  /** Its mark and colour, as of a record in that state. */
  tone: RecordState;
  /** `sees 2 of 30 probes unhealthy`. */
  words: string;
}

/** All regions with shards, from west to east. */
export function regionStatuses({ regions, records }: Overview): RegionStatus[] {
  const unhealthy = unhealthyByRegion(records);
  return westToEast(regions)
    .filter(({ shards }) => shards > 0)
    .map((view) => ({ view, ...regionStatusOf(view, unhealthy.get(view.region) ?? 0) }));
}

function regionStatusOf(view: RegionView, unhealthy: number): Omit<RegionStatus, "view"> {
  const { shards, silentShards, probes, suspect, lastReportAt } = view;
  if (silentShards >= shards) {
    if (lastReportAt === undefined) return { tone: "Pending", words: "has not reported yet" };
    return { tone: "Unknown", words: "silent: counts for nothing until it reports again" };
  }
  const sees =
    unhealthy === 0
      ? `sees ${counted(probes, "probe")} in order`
      : `sees ${unhealthy} of ${counted(probes, "probe")} unhealthy`;
  if (suspect) return { tone: "Warning", words: `suspect: most of its probes turned at one moment; ${sees}` };
  if (silentShards > 0) return { tone: "Warning", words: `${silentShards} of ${shards} shards silent; ${sees}` };
  return { tone: unhealthy === 0 ? "Healthy" : "Degraded", words: sees };
}

function unhealthyByRegion(records: readonly RecordSummary[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { region, unhealthy } of records.flatMap((record) => record.regions))
    sums.set(region, (sums.get(region) ?? 0) + unhealthy);
  return sums;
}
