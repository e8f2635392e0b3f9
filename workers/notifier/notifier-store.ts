import { z } from "zod";
import { hasTables, migrate } from "../migrate.ts";
import { type Message, message } from "./message.ts";
import { type Incident, type Incidents, incident } from "./rules/incidents.ts";

/** Forward only: a released entry is never edited, and older code must be able to run on what a newer one makes. */
export const MIGRATIONS = [
  `CREATE TABLE heard (partition INTEGER PRIMARY KEY, at INTEGER NOT NULL);
   CREATE TABLE target (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
   CREATE TABLE incident (target TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (target, key)) WITHOUT ROWID;
   CREATE TABLE message (n INTEGER PRIMARY KEY AUTOINCREMENT, target TEXT NOT NULL, value TEXT NOT NULL);
   CREATE INDEX message_of_target ON message (target, n);`,
];

/** A dead target keeps only this many messages, the newest. */
export const MAX_MESSAGES = 1_000;

const target = z.object({
  /** Alerts that began at or before this time are older than the target, Unix ms. */
  oldUntil: z.int(),
  failures: z.int(),
  /** Not before this time after a failure, Unix ms. */
  retryAt: z.int().optional(),
});
type TargetState = z.infer<typeof target>;

type Row = { value: string };
type Numbered = Row & { n: number };

/** Everything that the notifier stores. An unreadable row is dropped and does not affect the other rows. */
export class NotifierStore {
  readonly storage: DurableObjectStorage;
  readonly #sql: SqlStorage;

  private constructor(storage: DurableObjectStorage) {
    migrate(storage, MIGRATIONS);
    this.storage = storage;
    this.#sql = storage.sql;
  }

  /** Returns undefined, and creates nothing, if nothing was ever stored. */
  static open(storage: DurableObjectStorage): NotifierStore | undefined {
    return hasTables(storage.sql) ? new NotifierStore(storage) : undefined;
  }

  static create(storage: DurableObjectStorage): NotifierStore {
    return new NotifierStore(storage);
  }

  /** When the newest list of a partition was made, Unix ms; 0 if there was none. */
  newestListAt(partition: number): number {
    const rows = this.#sql.exec<{ at: number }>("SELECT at FROM heard WHERE partition = ?", partition);
    return rows.toArray()[0]?.at ?? 0;
  }

  newestListOfAllAt(): number {
    return this.#sql.exec<{ at: number | null }>("SELECT MAX(at) AS at FROM heard").one().at ?? 0;
  }

  putListTime(partition: number, at: number): void {
    this.#sql.exec("INSERT OR REPLACE INTO heard (partition, at) VALUES (?, ?)", partition, at);
  }

  targets(): string[] {
    return this.#sql
      .exec<{ name: string }>("SELECT name FROM target")
      .toArray()
      .map(({ name }) => name);
  }

  target(name: string): TargetState | undefined {
    const [row] = this.#sql.exec<Row>("SELECT value FROM target WHERE name = ?", name).toArray();
    return row && read(target, row.value);
  }

  putTarget(name: string, state: TargetState): void {
    if (JSON.stringify(this.target(name)) === JSON.stringify(state)) return;
    this.#sql.exec("INSERT OR REPLACE INTO target (name, value) VALUES (?, ?)", name, JSON.stringify(state));
  }

  /** Deletes a target with its incidents and messages. */
  removeTarget(name: string): void {
    this.#sql.exec("DELETE FROM message WHERE target = ?", name);
    this.#sql.exec("DELETE FROM incident WHERE target = ?", name);
    this.#sql.exec("DELETE FROM target WHERE name = ?", name);
  }

  incidents(name: string): Map<string, Incident> {
    const query = "SELECT key, value FROM incident WHERE target = ? ORDER BY key";
    const all = new Map<string, Incident>();
    for (const { key, value } of this.#sql.exec<Row & { key: string }>(query, name).toArray()) {
      const readable = read(incident, value);
      if (readable !== undefined) all.set(key, readable);
      else this.#sql.exec("DELETE FROM incident WHERE target = ? AND key = ?", name, key);
    }
    return all;
  }

  /** Writes only what differs from `before`. */
  replaceIncidents(name: string, before: Incidents, after: Incidents): void {
    for (const key of before.keys()) {
      if (!after.has(key)) this.#sql.exec("DELETE FROM incident WHERE target = ? AND key = ?", name, key);
    }
    for (const [key, one] of after) {
      const value = JSON.stringify(one);
      if (value === JSON.stringify(before.get(key))) continue;
      this.#sql.exec("INSERT OR REPLACE INTO incident (target, key, value) VALUES (?, ?, ?)", name, key, value);
    }
  }

  /** Appends messages to a target's queue. Returns how many of the oldest were dropped. */
  enqueue(name: string, messages: readonly Message[]): number {
    for (const one of messages) {
      this.#sql.exec("INSERT INTO message (target, value) VALUES (?, ?)", name, JSON.stringify(one));
    }
    const surplus = this.waiting(name) - MAX_MESSAGES;
    if (surplus <= 0) return 0;
    const oldest = "SELECT n FROM message WHERE target = ? ORDER BY n LIMIT ?";
    this.#sql.exec(`DELETE FROM message WHERE n IN (${oldest})`, name, surplus);
    return surplus;
  }

  waiting(name: string): number {
    return this.#sql.exec<{ n: number }>("SELECT COUNT(*) AS n FROM message WHERE target = ?", name).one().n;
  }

  /** The oldest message of a target. */
  head(name: string): { n: number; message: Message } | undefined {
    for (;;) {
      const query = "SELECT n, value FROM message WHERE target = ? ORDER BY n LIMIT 1";
      const [row] = this.#sql.exec<Numbered>(query, name).toArray();
      if (row === undefined) return undefined;
      const readable = read(message, row.value);
      if (readable !== undefined) return { n: row.n, message: readable };
      this.removeMessage(row.n);
    }
  }

  removeMessage(n: number): void {
    this.#sql.exec("DELETE FROM message WHERE n = ?", n);
  }
}

function read<Schema extends z.ZodType>(schema: Schema, text: string): z.output<Schema> | undefined {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    console.error({ message: "a stored row of the notifier cannot be read and is dropped" });
    return undefined;
  }
}
