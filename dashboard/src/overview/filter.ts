import type { RecordState, RecordSummary } from "../../../shared/model/overview.ts";

/** Worst first: the order of the list. */
export const STATES: readonly RecordState[] = [
  "Critical",
  "Degraded",
  "Warning",
  "Pending",
  "Unknown",
  "NotProbed",
  "Healthy",
];

export interface Filter {
  /** Words that must all occur in the host, an address, a cluster or a dissenting region. */
  text: string;
  /** Empty matches all. */
  states: ReadonlySet<RecordState>;
}

/** The records that match a filter, worst first, then by host. */
export function filterRecords(records: readonly RecordSummary[], { text, states }: Filter): RecordSummary[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return records
    .filter((record) => states.size === 0 || states.has(record.state))
    .filter((record) => words.length === 0 || hasAll(record, words))
    .sort((a, b) => STATES.indexOf(a.state) - STATES.indexOf(b.state) || (a.rootHost < b.rootHost ? -1 : 1));
}

/** The number of records in each state that occurs. */
export function countStates(records: readonly RecordSummary[]): [RecordState, number][] {
  return STATES.map((state): [RecordState, number] => [
    state,
    records.filter((record) => record.state === state).length,
  ]).filter(([, count]) => count > 0);
}

/** Reads a filter from the query of the page's address. What it does not know is left out. */
export function filterOf(query: string): Filter {
  const params = new URLSearchParams(query);
  const given = params.get("state")?.split(",") ?? [];
  return { text: params.get("q") ?? "", states: new Set(STATES.filter((state) => given.includes(state))) };
}

/** The query that stands for a filter; empty where it lets all through. */
export function queryOf({ text, states }: Filter): string {
  const params = new URLSearchParams();
  if (text !== "") params.set("q", text);
  if (states.size > 0) params.set("state", STATES.filter((state) => states.has(state)).join(","));
  return params.size === 0 ? "" : `?${params}`;
}

function hasAll({ rootHost, leaves, clusters, regions }: RecordSummary, words: readonly string[]): boolean {
  const against = regions.filter(({ says }) => says !== "Healthy").map(({ region }) => region);
  const all = [rootHost, ...leaves.map(({ leaf }) => leaf), ...clusters, ...against].join("\n").toLowerCase();
  return words.every((word) => all.includes(word));
}
