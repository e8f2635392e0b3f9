import type { z } from "zod";

/** A row that could not be parsed and was dropped. Its content is never shown. */
export interface BadRow {
  table: string;
  key: string;
  rule: string;
}

/**
 * The platform limit is 2 MB, and a character has up to three bytes. One row that is too large must not roll back the
 * others.
 */
const MAX_ROW_CHARACTERS = 650_000;

/** A table of one text key and one JSON value. Values are validated when they are read. */
export interface JsonTable<Schema extends z.ZodType> {
  readAll(onBadRow: (bad: BadRow) => void): Map<string, z.output<Schema>>;
  put(key: string, row: z.input<Schema>): void;
  delete(key: string): void;
}

type Stored = { key: string; value: string };

/**
 * `name` is a constant in the code, never input. Schemas tolerate unknown fields, so that older code can read rows of
 * newer code.
 */
export function jsonTable<Schema extends z.ZodType>(sql: SqlStorage, name: string, schema: Schema): JsonTable<Schema> {
  return {
    readAll(onBadRow) {
      const rows = new Map<string, z.output<Schema>>();
      for (const { key, value } of sql.exec<Stored>(`SELECT key, value FROM ${name}`).toArray()) {
        const result = read(schema, value);
        if ("row" in result) {
          rows.set(key, result.row);
          continue;
        }
        // If it stayed, it would be reported at every start.
        sql.exec(`DELETE FROM ${name} WHERE key = ?`, key);
        onBadRow({ table: name, key, rule: result.rule });
      }
      return rows;
    },
    put(key, row) {
      const value = JSON.stringify(row);
      if (value.length > MAX_ROW_CHARACTERS) {
        console.error({ message: "a row is too large to store", table: name, key, characters: value.length });
        return;
      }
      // REPLACE would be billed as two rows, since it also writes the index of the key.
      sql.exec(
        `INSERT INTO ${name} (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
        key,
        value,
      );
    },
    delete(key) {
      sql.exec(`DELETE FROM ${name} WHERE key = ?`, key);
    },
  };
}

function read<Schema extends z.ZodType>(schema: Schema, text: string): { row: z.output<Schema> } | { rule: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { rule: "is not JSON" };
  }
  const result = schema.safeParse(value);
  if (result.success) return { row: result.data };
  const issue = result.error.issues[0];
  return { rule: `${issue?.path.join(".")}: ${issue?.code}` };
}
