import type { Event } from "../../../shared/model/event.ts";
import type { LiveMessage, RecordSummary } from "../../../shared/model/overview.ts";

/** A message holds no more records than this: all of a large fleet may change at once. */
const MAX_RECORDS = 500;

export interface News {
  at: number;
  partition: number;
  records: readonly RecordSummary[];
  removed: readonly string[];
  /** Pages of events, the oldest first; none where nothing has happened. */
  events: readonly (readonly Event[])[];
  lastEventId: number;
}

/** The messages that tell the news, one at least, in their order; each says up to which event it goes. */
export function messagesOf({ at, partition, records, removed, events, lastEventId }: News): LiveMessage[] {
  const recordPages = Math.ceil(records.length / MAX_RECORDS);
  const count = Math.max(1, recordPages, events.length);
  return Array.from({ length: count }, (_, index) => ({
    at,
    partition,
    records: records.slice(index * MAX_RECORDS, (index + 1) * MAX_RECORDS),
    removed: index === 0 ? [...removed] : [],
    events: [...(events[index] ?? [])],
    lastEventId: index >= events.length - 1 ? lastEventId : (events[index]?.at(-1)?.id ?? lastEventId),
  }));
}
