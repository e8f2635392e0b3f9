import type { Event } from "../../shared/model/event.ts";

export type PartitionEvent = Event & { partition: number };

/** A page of events of all partitions, with its cursors. */
export interface EventPage {
  events: PartitionEvent[];
  /** The `after` of the next page: one event id for each partition. */
  next: number[];
  /** The `before` of the previous page: one event id for each partition. */
  previous: number[];
}

/** Merges the events after the ids of `after` by time. The order within each partition is kept. */
export function pageAfter(pages: readonly (readonly Event[])[], after: readonly number[]): EventPage {
  return {
    events: mergedFromEnd(pages, Number.POSITIVE_INFINITY),
    next: pages.map((page, partition) => page.at(-1)?.id ?? after[partition] ?? 0),
    previous: pages.map((page, partition) => page[0]?.id ?? (after[partition] ?? 0) + 1),
  };
}

/**
 * Merges pages of events into the newest `last` of all. Each page has the newest `last` events of its partition below
 * its id of `before`. An undefined id stands for the newest events.
 */
export function pageBefore(
  pages: readonly (readonly Event[])[],
  last: number,
  before: readonly (number | undefined)[],
): EventPage {
  const events = mergedFromEnd(pages, last);
  const byPartition = Map.groupBy(events, ({ partition }) => partition);
  const beyond = (partition: number) => before[partition] ?? (pages[partition]?.at(-1)?.id ?? 0) + 1;
  return {
    events,
    next: pages.map((_, partition) => byPartition.get(partition)?.at(-1)?.id ?? beyond(partition) - 1),
    previous: pages.map((_, partition) => byPartition.get(partition)?.[0]?.id ?? beyond(partition)),
  };
}

/**
 * Merges from the newest event backwards. So each partition contributes the end of its page, even if its clock jumped.
 */
function mergedFromEnd(pages: readonly (readonly Event[])[], count: number): PartitionEvent[] {
  const remaining = pages.map((page) => page.length);
  const merged: PartitionEvent[] = [];
  while (merged.length < count) {
    const partition = newestTail(pages, remaining);
    const index = (remaining[partition] ?? 0) - 1;
    const tail = pages[partition]?.[index];
    if (tail === undefined) break;
    merged.push({ ...tail, partition });
    remaining[partition] = index;
  }
  return merged.reverse();
}

/** The partition with the newest remaining event. A tie goes to the later partition. -1 if no event remains. */
function newestTail(pages: readonly (readonly Event[])[], remaining: readonly number[]): number {
  let newest = { at: Number.NEGATIVE_INFINITY, partition: -1 };
  for (const [partition, page] of pages.entries()) {
    const at = page[(remaining[partition] ?? 0) - 1]?.at;
    if (at !== undefined && at >= newest.at) newest = { at, partition };
  }
  return newest.partition;
}
