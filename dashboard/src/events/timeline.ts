import type { PartitionEvent } from "../api/state.ts";

/** An event of the log: its id is unique within its partition. */
export type TimelineEvent = PartitionEvent;

/** A line of the timeline: an event, or a gap between two events. */
export type TimelineLine =
  | { kind: "event"; event: TimelineEvent }
  | { kind: "gap"; key: string; missing: number; at: number };

export const keyOf = ({ partition, id }: Pick<TimelineEvent, "partition" | "id">): string => `${partition}-${id}`;

/** Merges lists of events: each event once, newest first. */
export function joinEvents(...lists: readonly (readonly TimelineEvent[])[]): TimelineEvent[] {
  const byKey = new Map(lists.flat().map((event) => [keyOf(event), event]));
  return [...byKey.values()].sort(newestFirst);
}

/**
 * Returns the events, newest first, with a gap line wherever ids of a partition are missing, because events were lost
 * or pruned.
 */
export function linesOf(events: readonly TimelineEvent[]): TimelineLine[] {
  const missing = missingBefore(events);
  return events.flatMap((event): TimelineLine[] => {
    const key = keyOf(event);
    const count = missing.get(key);
    const line: TimelineLine = { kind: "event", event };
    return count === undefined ? [line] : [line, { kind: "gap", key: `gap-${key}`, missing: count, at: event.at }];
  });
}

/** How many ids of its partition are missing directly before each event. The oldest known event has none. */
function missingBefore(events: readonly TimelineEvent[]): Map<string, number> {
  const missing = new Map<string, number>();
  for (const ofPartition of Map.groupBy(events, ({ partition }) => partition).values()) {
    const byId = ofPartition.toSorted((a, b) => a.id - b.id);
    byId.forEach((event, index) => {
      const before = byId[index - 1];
      if (before !== undefined && event.id - before.id > 1) missing.set(keyOf(event), event.id - before.id - 1);
    });
  }
  return missing;
}

function newestFirst(a: TimelineEvent, b: TimelineEvent): number {
  return b.at - a.at || b.partition - a.partition || b.id - a.id;
}

/** The newest id shown of each partition. Newer events wait, so that a person who reads further down keeps the place. */
export type PausedAt = ReadonlyMap<number, number>;

export function newestIds(events: readonly TimelineEvent[]): PausedAt {
  const newest = new Map<number, number>();
  for (const { partition, id } of events) newest.set(partition, Math.max(id, newest.get(partition) ?? 0));
  return newest;
}

/** Splits events into shown ones and newer ones that wait. Nothing waits while the view is not paused (`undefined`). */
export function splitPaused(events: readonly TimelineEvent[], pausedAt: PausedAt | undefined) {
  if (pausedAt === undefined) return { shown: events, waiting: [] };
  const isNewer = ({ partition, id }: TimelineEvent) => id > (pausedAt.get(partition) ?? 0);
  return { shown: events.filter((event) => !isNewer(event)), waiting: events.filter(isNewer) };
}
