import { type Event, event } from "../../../shared/model/event.ts";

const MAX_EVENTS = 5_000;
/** Old events go in batches, so that an event costs one row and not two. */
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

/** At most 500 events after the id, oldest first. One that cannot be read is left out. */
export function listEvents(sql: SqlStorage, after: number): Event[] {
  const rows = sql.exec<{ id: number; value: string }>(
    "SELECT id, value FROM events WHERE id > ? ORDER BY id LIMIT ?",
    after,
    MAX_PAGE,
  );
  return [...rows].flatMap(({ id, value }) => {
    try {
      return [event.parse({ ...JSON.parse(value), id })];
    } catch {
      return [];
    }
  });
}
