import { AsyncLocalStorage } from "node:async_hooks";
import { CLASSES, type ClassName, type Counts, type ObjectCounts, type WorkerCounts } from "../counts.ts";

const noCounts = (): ObjectCounts => ({
  objects: 0,
  starts: 0,
  calls: 0,
  alarms: 0,
  alarmLateMs: 0,
  rowsRead: 0,
  rowsWritten: {},
  awakeMs: 0,
  startMs: 0,
  logLines: 0,
  bytes: 0,
});

const objects = Object.fromEntries(CLASSES.map((name) => [name, noCounts()])) as Record<ClassName, ObjectCounts>;
export const worker: WorkerCounts = { requests: 0, crons: 0, loopbackDials: 0, logLines: 0 };
const bytes = Object.fromEntries(CLASSES.map((name) => [name, new Map<string, number>()])) as Record<
  ClassName,
  Map<string, number>
>;

/** Whose work runs just now: what it awaits, and what it logs, is its own. */
export const current = new AsyncLocalStorage<Account>();

/** All that was counted until now; an object that is awake has its time until now in it. */
export function counts(): Counts {
  for (const account of awake) account.lap();
  for (const name of CLASSES) {
    objects[name].objects = bytes[name].size;
    objects[name].bytes = [...bytes[name].values()].reduce((sum, one) => sum + one, 0);
  }
  return { objects, worker };
}

const awake = new Set<Account>();

type Cursor = SqlStorageCursor<Record<string, SqlStorageValue>>;

/** What one object uses while it is in memory. */
export class Account {
  readonly #name: ClassName;
  readonly #id: string;
  readonly #size: () => number;
  readonly counts: ObjectCounts;
  #cursors: { cursor: Cursor; table: string }[] = [];
  #pending = 0;
  #since = 0;

  /** @param size of what the object has stored, in bytes */
  constructor(name: ClassName, id: string, size: () => number) {
    this.#name = name;
    this.#id = id;
    this.#size = size;
    this.counts = objects[name];
    this.counts.starts += 1;
  }

  /** Something that keeps the object awake begins. */
  begin(): void {
    if (this.#pending === 0) {
      this.#since = Date.now();
      awake.add(this);
    }
    this.#pending += 1;
  }

  end(): void {
    this.#pending -= 1;
    if (this.#pending > 0) return;
    this.lap();
    awake.delete(this);
    this.#tally();
    bytes[this.#name].set(this.#id, this.#size());
  }

  /** Counts the time since the last time. */
  lap(): void {
    const now = Date.now();
    this.counts.awakeMs += now - this.#since;
    this.#since = now;
  }

  /** Keeps the object awake until the promise settles. */
  hold<Value>(promise: Promise<Value>): Promise<Value> {
    this.begin();
    const end = () => this.end();
    promise.then(end, end);
    return promise;
  }

  async run<Value>(work: () => Value): Promise<Awaited<Value>> {
    this.begin();
    try {
      return await current.run(this, work);
    } finally {
      this.end();
    }
  }

  /** A cursor knows how many rows it took only once it was read to its end: it is asked when the object rests. */
  query(query: string, cursor: Cursor): void {
    // The local runtime keeps the object's name there.
    if (query.includes("__miniflare")) return;
    this.#cursors.push({ cursor, table: tableOf(query) });
  }

  wrote(table: string, rows: number): void {
    if (rows > 0) this.counts.rowsWritten[table] = (this.counts.rowsWritten[table] ?? 0) + rows;
  }

  #tally(): void {
    for (const { cursor, table } of this.#cursors) {
      this.counts.rowsRead += cursor.rowsRead;
      this.wrote(table, cursor.rowsWritten);
    }
    this.#cursors = [];
  }
}

const tableOf = (query: string): string =>
  /\b(?:INTO|UPDATE|FROM|TABLE(?: IF NOT EXISTS)?)\s+(\w+)/i.exec(query)?.[1] ?? "other";
