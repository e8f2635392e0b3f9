import { counted } from "../../../shared/explain/region-views.ts";
import type { LeafSummary, Overview, RecordSummary } from "../../../shared/model/overview.ts";
import { groupLeaves, type LeafGroup, placeOf } from "./leaf-groups.ts";

/** Addresses of a record that are out of DNS, or in DNS only because no better one is left. */
export interface Trouble {
  record: RecordSummary;
  story: LeafGroup;
}

/** The headline of the overview. */
export interface Headline {
  tone: "critical" | "trouble" | "watch" | "well";
  /** One sentence that says what is out of DNS. */
  title: string;
  /** The worst addresses: why, since when and seen from where. */
  worst: Trouble[];
  /** The number of further failing addresses. */
  more: number;
  /** The totals. */
  sums: string[];
}

/** The most that a viewer reads at a glance. */
const WORST = 3;

/** Makes the headline from the overview. */
export function headlineOf(overview: Overview): Headline {
  const { records, regions } = overview;
  const troubles = troublesOf(records);
  const { tone, title } = titleOf(overview, troubles);
  return {
    tone,
    // A hidden address is called `address 1`.
    title: title.replace(/^address (?=\d)/, "Address "),
    worst: troubles.slice(0, WORST),
    more: countOf(troubles.slice(WORST)),
    sums: [
      counted(records.length, "record"),
      publishedOf(records),
      regions.length === 0 ? "" : `seen from ${counted(regions.length, "region")}`,
    ].filter((text) => text !== ""),
  };
}

/** Order: records without a healthy address first, then withheld before kept, then newest first. */
function troublesOf(records: readonly RecordSummary[]): Trouble[] {
  const rank = ({ record, story }: Trouble) => (record.state === "Critical" ? 0 : 2) + (story.place === "out" ? 0 : 1);
  return records
    .flatMap((record) => groupLeaves(record.leaves.filter(isTroubled)).map((story) => ({ record, story })))
    .sort((a, b) => rank(a) - rank(b) || (b.story.since ?? 0) - (a.story.since ?? 0));
}

/** Whether an unhealthy address is out of DNS, or kept in DNS. */
export const isTroubled = (leaf: LeafSummary) => leaf.reason === "UnhealthyWithheld" || placeOf(leaf) === "kept";

const countOf = (troubles: readonly Trouble[]) => troubles.reduce((sum, { story }) => sum + story.leaves.length, 0);

function titleOf({ records, clusters }: Overview, troubles: readonly Trouble[]): Pick<Headline, "tone" | "title"> {
  const critical = records.filter(({ state }) => state === "Critical");
  const out = troubles.filter(({ record, story }) => story.place === "out" && record.state !== "Critical");
  if (critical.length > 0) {
    const also = out.length === 0 ? "" : `; ${addressesOf(out)} out of DNS`;
    return { tone: "critical", title: `Nothing healthy is left of ${nameOf(critical)}${also}` };
  }
  if (out.length > 0) return { tone: "trouble", title: `${addressesOf(out)} out of DNS` };
  if (troubles.length > 0)
    return { tone: "trouble", title: `${addressesOf(troubles)} unhealthy, and kept in DNS for want of better` };
  const lost = clusters.filter(({ reachable }) => !reachable).map(({ cluster }) => cluster);
  if (lost.length > 0) return { tone: "watch", title: `No decision gets through to ${lost.join(", ")}` };
  return titleWithoutTrouble(records);
}

function titleWithoutTrouble(records: readonly RecordSummary[]): Pick<Headline, "tone" | "title"> {
  const warned = records.filter(({ state }) => state === "Warning");
  if (warned.length > 0) {
    const isWhole = records.every(({ leaves }) => leaves.every(({ published }) => published));
    const place = isWhole ? "Everything is in DNS" : "Nothing was withdrawn";
    return { tone: "watch", title: `${place}; ${nameOf(warned)} ${needs(warned.length)} a look` };
  }
  const unjudged = records.filter(({ state }) => state === "Pending" || state === "Unknown").length;
  if (unjudged > 0) return { tone: "watch", title: `Nothing is known to be unhealthy; ${unjudgedWords(unjudged)}` };
  return { tone: "well", title: "Everything that should be in DNS is in DNS" };
}

const needs = (count: number) => (count === 1 ? "needs" : "need");

const unjudgedWords = (count: number) => `${counted(count, "record")} ${count === 1 ? "is" : "are"} not judged yet`;

/** `198.51.100.20 of api.example.com is`, `4 addresses of 2 records are`. */
function addressesOf(troubles: readonly Trouble[]): string {
  const records = [...new Set(troubles.map(({ record }) => record))];
  const leaves = troubles.flatMap(({ story }) => story.leaves);
  const count = leaves.length;
  return `${count === 1 ? leaves.join() : counted(count, "address")} of ${nameOf(records)} ${count === 1 ? "is" : "are"}`;
}

const nameOf = (records: readonly RecordSummary[]): string =>
  records.length === 1 ? (records[0]?.rootHost ?? "") : counted(records.length, "record");

function publishedOf(records: readonly RecordSummary[]): string {
  const leaves = records.flatMap((record) => record.leaves);
  const published = leaves.filter((leaf) => leaf.published).length;
  return `${published} of ${counted(leaves.length, "address")} in DNS`;
}
