import type { Clock } from "../../shared/explain/clock.ts";
import { counted } from "../../shared/explain/region-views.ts";
import {
  type ClusterHealth,
  type LeafSummary,
  type Overview,
  type RecordSummary,
  recordState,
} from "../../shared/model/overview.ts";
import type { RegionView } from "../../shared/model/region-view.ts";
import { table } from "./table.ts";
import { styleOf, type Terminal } from "./terminal.ts";

type Paint = Terminal["style"];

const STATES: readonly string[] = recordState.options;
const HEAD = ["RECORD", "STATE", "IN DNS", "REGIONS", "DECIDED"];
const QUIET: readonly string[] = ["Healthy", "NotProbed"];

/** Whether everything is in order. `status --exit-code` reports this. */
export function isAllWell({ records, regions, clusters }: Overview): boolean {
  const isQuiet = records.every(({ state }) => QUIET.includes(state));
  return isQuiet && !regions.some(isInTrouble) && clusters.every(({ reachable }) => reachable);
}

/**
 * Formats the overview as text, problems first. Beyond `maxRows` lines, records in order are dropped first and counted.
 */
export function statusText(seen: Overview, clock: Clock, paint: Paint, maxRows = Number.POSITIVE_INFINITY): string {
  const records = [...seen.records].sort((a, b) => rankOf(a) - rankOf(b) || (a.rootHost < b.rootHost ? -1 : 1));
  const rows = records.map((record) => rowOf(record, clock, paint));
  const [head = "", ...lines] = table(
    HEAD.map((title) => paint("dim", title)),
    rows,
  ).split("\n");
  const notes = [...seen.regions.flatMap((region) => regionNote(region, clock)), ...seen.clusters.flatMap(clusterNote)];
  const above = [
    summaryOf(seen, paint),
    ...notes.map((note) => paint("yellow", note)),
    "",
    ...(records.length > 0 ? [head] : []),
  ];
  const below = records.flatMap((record, index) => [lines[index] ?? "", ...leafLines(record, clock, paint)]);
  const room = maxRows - above.length;
  if (below.length <= room) return [...above, ...below].join("\n");
  const shown = below.slice(0, Math.max(0, room - 1));
  return [
    ...above,
    ...shown,
    paint("dim", `… ${below.length - shown.length} lines more; vedette status shows all`),
  ].join("\n");
}

/** An unknown state of a newer edge is shown as well. */
const rankOf = ({ state }: RecordSummary) => STATES.indexOf(state);

function rowOf({ rootHost, state, leaves, regions, decidedAt }: RecordSummary, clock: Clock, paint: Paint): string[] {
  const published = leaves.filter((leaf) => leaf.published).length;
  return [
    rootHost,
    paint(styleOf(state), state),
    `${published}/${leaves.length}`,
    regionsOf(regions),
    clock(decidedAt),
  ];
}

/** `3 of 3 ok`, or with the exceptions: `1 of 3 ok; enam, weur Unhealthy`. */
function regionsOf(regions: RecordSummary["regions"]): string {
  if (regions.length === 0) return "-";
  const others = Map.groupBy(
    regions.filter(({ says }) => says !== "Healthy"),
    ({ says }) => says,
  );
  const ok = regions.filter(({ says }) => says === "Healthy").length;
  const named = [...others].map(([says, group]) => `; ${group.map(({ region }) => region).join(", ")} ${says}`);
  return `${ok} of ${regions.length} ok${named.join("")}`;
}

/** The most addresses named in a line; the rest are counted. */
const NAMED = 4;

/** Lines for addresses that are not in order. Addresses with the same finding share a line, with the earliest start. */
function leafLines({ leaves }: RecordSummary, clock: Clock, paint: Paint): string[] {
  const worth = leaves.filter(
    ({ published, verdict, reason, against }) =>
      reason !== "NotProbed" && (!published || verdict !== "Healthy" || against !== undefined),
  );
  const never = () => "";
  return [...Map.groupBy(worth, (leaf) => standing(leaf, never)).values()].flatMap((group) => {
    const [oldest] = group.toSorted((a, b) => (a.since ?? 0) - (b.since ?? 0));
    if (oldest === undefined) return [];
    const names = group.slice(0, NAMED).map(({ leaf }) => leaf);
    const more = group.length > NAMED ? ` and ${group.length - NAMED} more` : "";
    return `  ${paint(oldest.published ? "yellow" : "red", `${names.join(", ")}${more} ${standing(oldest, clock)}`)}`;
  });
}

/** Says why an address is published despite its verdict. Withheld for its verdict needs no reason. */
function standing({ published, reason, verdict, since, against }: LeafSummary, clock: Clock): string {
  const stands = since === undefined ? "" : ` since ${clock(since)}`;
  const parts = [
    ...(published && reason !== verdict ? [reason] : []),
    ...(verdict === undefined ? [] : [verdict + stands]),
    ...(against === undefined ? [] : [sawAgainst(against)]),
  ];
  return `${published ? "published" : "withheld"}: ${parts.join("; ")}`;
}

function sawAgainst({ regions, of, saw }: NonNullable<LeafSummary["against"]>): string {
  return `${regions.length} of ${counted(of, "region")} (${regions.join(", ")}): ${saw.join(", ")}`;
}

function summaryOf({ records, regions, clusters }: Overview, paint: Paint): string {
  const byState = Map.groupBy(records, ({ state }) => state);
  const states = [...byState.keys()].sort((a, b) => STATES.indexOf(a) - STATES.indexOf(b));
  const counts = states.map((state) => paint(styleOf(state), `${byState.get(state)?.length} ${state}`)).join(", ");
  return [
    `${counted(records.length, "record")}${counts === "" ? "" : `: ${counts}`}`,
    counted(regions.length, "region"),
    ...(clusters.length > 0 ? [counted(clusters.length, "cluster")] : []),
  ].join(" · ");
}

const isInTrouble = ({ silentShards, suspect }: RegionView) => silentShards > 0 || suspect;

function regionNote(region: RegionView, clock: Clock): string[] {
  if (!isInTrouble(region)) return [];
  const { silentShards, shards, lastReportAt, suspect } = region;
  const last = lastReportAt === undefined ? "" : `, last report ${clock(lastReportAt)}`;
  return [
    ...(silentShards > 0
      ? [`Region ${region.region}: ${silentShards} of ${counted(shards, "shard")} silent${last}`]
      : []),
    ...(suspect ? [`Region ${region.region}: suspect, most of its probes turned at one moment`] : []),
  ];
}

function clusterNote({ cluster, reachable, failures, lastFailure }: ClusterHealth): string[] {
  if (reachable) return [];
  const last = lastFailure === undefined ? "" : `: ${lastFailure}`;
  return [`Cluster ${cluster}: not reached, ${failures} ${failures === 1 ? "delivery" : "deliveries"} failed${last}`];
}
