/**
 * Runs the migrations that the tables of an object have not had, in order, in one transaction. Each migration is one
 * or more SQL statements and only goes forward. An older release must run on the tables of a newer one, so a higher
 * version is left alone.
 */
export function migrate(storage: DurableObjectStorage, migrations: readonly string[]): void {
  storage.transactionSync(() => {
    storage.sql.exec("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)");
    const version = schemaVersion(storage.sql);
    if (version >= migrations.length) return;
    for (const statements of migrations.slice(version)) storage.sql.exec(statements);
    storage.sql.exec("DELETE FROM schema_version");
    storage.sql.exec("INSERT INTO schema_version (version) VALUES (?)", migrations.length);
  });
}

/** Whether an object has tables. The check creates none: an object with a guessed name stays free of storage. */
export function hasTables(sql: SqlStorage): boolean {
  return sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'schema_version'").toArray().length > 0;
}

function schemaVersion(sql: SqlStorage): number {
  const [row] = sql.exec<{ version: number }>("SELECT version FROM schema_version").toArray();
  return row?.version ?? 0;
}
