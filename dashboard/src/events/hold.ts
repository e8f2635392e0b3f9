import type { TimelineEvent } from "./timeline.ts";

/** The newest id of each partition that is shown: what is newer waits, so that nobody who reads further down loses the place. */
export type Held = ReadonlyMap<number, number>;

export function newestIds(events: readonly TimelineEvent[]): Held {
  const newest = new Map<number, number>();
  for (const { partition, id } of events) newest.set(partition, Math.max(id, newest.get(partition) ?? 0));
  return newest;
}

/** Parts the events into those that are shown and the newer ones that wait. Nothing waits where nothing is held. */
export function partHeld(events: readonly TimelineEvent[], held: Held | undefined) {
  if (held === undefined) return { shown: events, waiting: [] };
  const isNewer = ({ partition, id }: TimelineEvent) => id > (held.get(partition) ?? 0);
  return { shown: events.filter((event) => !isNewer(event)), waiting: events.filter(isNewer) };
}
