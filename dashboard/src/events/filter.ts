import { useEffect, useState } from "preact/hooks";
import { navigate } from "../router.ts";
import { KINDS, type Kind, typeWords } from "./kinds.ts";
import { keyOf, type TimelineEvent } from "./timeline.ts";

/**
 * The filter of the events; an empty field matches all. It is part of the page's address, so that a view can be shared.
 */
export interface EventFilter {
  kinds: Kind[];
  host: string;
  cluster: string;
  region: string;
  text: string;
}

const FIELDS = ["host", "cluster", "region", "text"] as const;

/** Reads a filter from the search part of an address. Unknown values are dropped. */
export function readFilter(search: string): EventFilter {
  const parameters = new URLSearchParams(search);
  const kinds = (parameters.get("kind") ?? "").split(",").filter((kind): kind is Kind => Object.hasOwn(KINDS, kind));
  const [host, cluster, region, text] = FIELDS.map((field) => parameters.get(field)?.trim() ?? "");
  return { kinds, host: host ?? "", cluster: cluster ?? "", region: region ?? "", text: text ?? "" };
}

/** The inverse of {@link readFilter}, with the question mark; empty for no filter. */
export function writeFilter(filter: EventFilter): string {
  const parameters = new URLSearchParams();
  if (filter.kinds.length > 0) parameters.set("kind", filter.kinds.join(","));
  for (const field of FIELDS) if (filter[field] !== "") parameters.set(field, filter[field]);
  const text = parameters.toString().replaceAll("%2C", ",");
  return text === "" ? "" : `?${text}`;
}

export function isFiltering(filter: EventFilter): boolean {
  return writeFilter(filter) !== "";
}

/** Whether an event matches. Host and text match substrings, ignoring case; cluster and region match exactly. */
export function matches(event: TimelineEvent, filter: EventFilter): boolean {
  if (filter.kinds.length > 0 && !filter.kinds.includes(typeWords(event).kind)) return false;
  if (filter.host !== "" && !within(event.rootHost, filter.host)) return false;
  if (filter.cluster !== "" && clusterOf(event) !== filter.cluster) return false;
  if (filter.region !== "" && event.region !== filter.region) return false;
  return filter.text === "" || within(textOf(event), filter.text);
}

/** A probe's id begins with its cluster. */
export function clusterOf({ cluster, probe }: TimelineEvent): string | undefined {
  return cluster ?? probe?.split("/")[0];
}

/** The clusters and regions in the events, as options of the filter. */
export function namedIn(events: readonly TimelineEvent[]): { clusters: string[]; regions: string[] } {
  const sorted = (names: (string | undefined)[]) => [...new Set(names.filter((name) => name !== undefined))].sort();
  return { clusters: sorted(events.map(clusterOf)), regions: sorted(events.map(({ region }) => region)) };
}

function textOf(event: TimelineEvent): string {
  return [
    event.message,
    typeWords(event).words,
    event.rootHost,
    event.probe,
    event.cluster,
    event.region,
    keyOf(event),
  ].join(" ");
}

function within(text: string | undefined, part: string): boolean {
  return (text ?? "").toLowerCase().includes(part.toLowerCase());
}

/** The filter in the page's address, and a function that changes both. Typing adds no history entries. */
export function useFilter(): [EventFilter, (change: Partial<EventFilter>) => void] {
  const [search, setSearch] = useState(location.search);
  useEffect(() => {
    const follow = () => setSearch(location.search);
    addEventListener("popstate", follow);
    return () => removeEventListener("popstate", follow);
  }, []);
  const change = (part: Partial<EventFilter>) => {
    const path = location.pathname + writeFilter({ ...readFilter(location.search), ...part });
    navigate(path, { replace: true });
  };
  return [readFilter(search), change];
}
