import { NO_USAGE, type UsageSince } from "../../shared/model/usage.ts";

/**
 * Limit of statements whose counts are still open. If a statement is read further after this many others, its rows
 * are not counted.
 */
const MAX_OPEN_STATEMENTS = 256;

type Statement = Pick<SqlStorageCursor<Record<string, SqlStorageValue>>, "rowsRead" | "rowsWritten">;

/**
 * Counts the billed usage of an object: calls and alarms, rows, and the time that it is awake. Usage is in memory
 * only, and lost with it unless taken.
 */
export class Meter {
  /**
   * The metered storage. SQL statements report their rows themselves; setting or deleting an alarm counts as a
   * written row.
   */
  readonly storage: DurableObjectStorage;
  readonly #now: () => number;
  #statements: Statement[] = [];
  #used = { ...NO_USAGE };
  #running = 0;
  #awakeSince = 0;
  #hasSetAlarm = false;
  #wasTaken = false;

  /** `now` gives Unix ms. */
  constructor(storage: DurableObjectStorage, now: () => number) {
    this.#now = now;
    this.storage = this.#counted(storage);
  }

  /** Runs work that is billed as one request. */
  async ran<Value>(work: () => Promise<Value>): Promise<Value> {
    this.#used.requests += 1;
    return this.awake(work);
  }

  /** The same for an alarm. If the alarm was set before the last restart, its row is counted now. */
  async alarmed<Value>(work: () => Promise<Value>): Promise<Value> {
    if (!this.#hasSetAlarm) this.#used.rowsWritten += 1;
    return this.ran(work);
  }

  /** Runs work that is not a request but keeps the object awake. Concurrent work counts once. */
  async awake<Value>(work: () => Promise<Value>): Promise<Value> {
    if (this.#running === 0) this.#awakeSince = this.#now();
    this.#running += 1;
    try {
      return await work();
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#noteAwake();
    }
  }

  /** The usage since the last call, including work that is still running. */
  take(): UsageSince {
    this.#noteStatements();
    if (this.#running > 0) this.#noteAwake();
    const used = this.#used;
    this.#used = { ...NO_USAGE };
    const isFirst = !this.#wasTaken;
    this.#wasTaken = true;
    return { ...used, ...(isFirst && { isFirst }) };
  }

  #noteAwake(): void {
    const now = this.#now();
    this.#used.awakeMs += Math.max(0, now - this.#awakeSince);
    this.#awakeSince = now;
  }

  /** A statement runs while it is read, and reports its rows only at the end. */
  #noteStatements(): void {
    for (const { rowsRead, rowsWritten } of this.#statements) {
      this.#used.rowsRead += rowsRead;
      this.#used.rowsWritten += rowsWritten;
    }
    this.#statements = [];
  }

  #counted(storage: DurableObjectStorage): DurableObjectStorage {
    const exec: SqlStorage["exec"] = (query, ...bindings) => {
      if (this.#statements.length >= MAX_OPEN_STATEMENTS) this.#noteStatements();
      const statement = storage.sql.exec<never>(query, ...bindings);
      this.#statements.push(statement);
      return statement;
    };
    return over(storage, {
      sql: over(storage.sql, { exec }),
      setAlarm: (...given: Parameters<DurableObjectStorage["setAlarm"]>) => {
        this.#used.rowsWritten += 1;
        this.#hasSetAlarm = true;
        return storage.setAlarm(...given);
      },
      deleteAlarm: (...given: Parameters<DurableObjectStorage["deleteAlarm"]>) => {
        this.#used.rowsWritten += 1;
        return storage.deleteAlarm(...given);
      },
    });
  }
}

/**
 * The platform's object with some properties replaced. Its methods require the object itself as `this`. Other
 * wrappers (tests also count) stay separate.
 */
function over<Target extends object>(target: Target, replaced: Partial<Target>): Target {
  const bound = new Map<PropertyKey, unknown>(Object.entries(replaced));
  return new Proxy<object>(
    {},
    {
      get(own, name) {
        if (Object.hasOwn(own, name)) return Reflect.get(own, name);
        if (bound.has(name)) return bound.get(name);
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== "function") return value;
        const method: unknown = value.bind(target);
        bound.set(name, method);
        return method;
      },
    },
  ) as Target;
}
