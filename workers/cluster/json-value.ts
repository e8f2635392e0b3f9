/** Fields to change. A field with the value undefined is removed. */
export type Change<Value> = { [Key in keyof Value]?: Value[Key] | undefined };

/**
 * One value, stored as JSON and written only if it differs from the stored one. It is read from storage each time,
 * because a rolled-back transaction must leave nothing in memory.
 */
export class JsonValue<Value extends object> {
  readonly #sql: SqlStorage;
  readonly #name: string;
  readonly #initial: Value;

  constructor(sql: SqlStorage, name: string, initial: Value) {
    this.#sql = sql;
    this.#name = name;
    this.#initial = initial;
  }

  /** The value. Fields that an older release did not store have their initial value. */
  get(): Readonly<Value> {
    const [row] = this.#sql.exec<{ value: string }>("SELECT value FROM cell WHERE name = ?", this.#name).toArray();
    return row === undefined ? this.#initial : { ...this.#initial, ...JSON.parse(row.value) };
  }

  update(change: Change<Value>): void {
    const before = this.get();
    const after = JSON.stringify({ ...before, ...change });
    if (after === JSON.stringify(before)) return;
    const insert =
      "INSERT INTO cell (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value";
    this.#sql.exec(insert, this.#name, after);
  }
}
