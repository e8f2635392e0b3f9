import { type Event, event } from "../../../shared/model/event.ts";

const MAX_EVENTS = 5_000;
/** Old events are deleted in batches, so that an event costs one written row, not two. */
const PRUNE_EVERY = 100;
const MAX_PAGE = 500;
const MAX_MESSAGE_CHARACTERS = 500;

export type NewEvent = Omit<Event, "id">;

/** Adds an event to the bounded log. */
export function addEvent(sql: SqlStorage, entry: NewEvent): void {
  const value = JSON.stringify({ ...entry, message: entry.message.slice(0, MAX_MESSAGE_CHARACTERS) });
  const { id } = sql.exec<{ id: number }>("INSERT INTO events (value) VALUES (?) RETURNING id", value).one();
  if (id % PRUNE_EVERY === 0) sql.exec("DELETE FROM events WHERE id <= ?", id - MAX_EVENTS);
}

type Row = { id: number; value: string };

/** At most 500 events after the id, oldest first. Events that cannot be parsed are skipped. */
export function listEvents(sql: SqlStorage, after: number): Event[] {
  return read(sql.exec<Row>("SELECT id, value FROM events WHERE id > ? ORDER BY id LIMIT ?", after, MAX_PAGE));
}

/** The newest `last` events (at most 500) with ids below `before`, oldest first. */
export function listNewestEvents(sql: SqlStorage, last: number, before: number): Event[] {
  const select = "SELECT id, value FROM events WHERE id < ? ORDER BY id DESC LIMIT ?";
  return read(sql.exec<Row>(select, before, Math.min(last, MAX_PAGE))).reverse();
}

/** Id of the newest event; 0 if there is none. */
export function lastEventId(sql: SqlStorage): number {
  return sql.exec<{ id: number | null }>("SELECT max(id) AS id FROM events").one().id ?? 0;
}

function read(rows: Iterable<Row>): Event[] {
  return [...rows].flatMap(({ id, value }) => {
    try {
      return [event.parse({ ...JSON.parse(value), id })];
    } catch {
      return [];
    }
  });
}
