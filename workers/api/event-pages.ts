import type { Event } from "../../shared/model/event.ts";

export type PartitionEvent = Event & { partition: number };

/** Events of all partitions with, for each partition, the id before the first and that of the last of them. */
export interface EventPage {
  events: PartitionEvent[];
  /** What to come back with as `after`: by partition. */
  next: number[];
  /** What to come back with as `before`: by partition. */
  previous: number[];
}

/** All that the partitions answered to the ids of `after`, by time; each partition's own order stays. */
export function pageAfter(pages: readonly (readonly Event[])[], after: readonly number[]): EventPage {
  return {
    events: mergedFromEnd(pages, Number.POSITIVE_INFINITY),
    next: pages.map((page, partition) => page.at(-1)?.id ?? after[partition] ?? 0),
    previous: pages.map((page, partition) => page[0]?.id ?? (after[partition] ?? 0) + 1),
  };
}

/**
 * The newest `last` events of what the partitions answered, each asked for as many below its id of `before` (undefined for
 * the newest of all).
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

/** The newest of all tails first, so that of each partition an end of its page is taken, also where its clock jumped. */
function mergedFromEnd(pages: readonly (readonly Event[])[], count: number): PartitionEvent[] {
  const left = pages.map((page) => page.length);
  const taken: PartitionEvent[] = [];
  while (taken.length < count) {
    const partition = newestTail(pages, left);
    const index = (left[partition] ?? 0) - 1;
    const tail = pages[partition]?.[index];
    if (tail === undefined) break;
    taken.push({ ...tail, partition });
    left[partition] = index;
  }
  return taken.reverse();
}

/** Of two that are as new, the one of the later partition; -1 where nothing is left. */
function newestTail(pages: readonly (readonly Event[])[], left: readonly number[]): number {
  let newest = { at: Number.NEGATIVE_INFINITY, partition: -1 };
  for (const [partition, page] of pages.entries()) {
    const at = page[(left[partition] ?? 0) - 1]?.at;
    if (at !== undefined && at >= newest.at) newest = { at, partition };
  }
  return newest.partition;
}
