/** Fields to change; one that is given as undefined goes. */
export type Change<Value> = { [Key in keyof Value]?: Value[Key] | undefined };

/**
 * One value of an object that is stored whole, as JSON, and written only when it differs from what is there. Read afresh
 * each time: a transaction that is rolled back leaves no memory of it.
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

  /** The value; fields that an older release did not store have their initial value. */
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
