const table = (name: string) => `CREATE TABLE ${name} (key TEXT PRIMARY KEY, value TEXT NOT NULL);`;

/**
 * Forward only: a released entry is never edited. Older code must be able to run on the result, since a rollback does
 * not restore storage.
 */
export const MIGRATIONS: readonly string[] = [
  [
    ...["meta", "clusters", "shares", "probes", "words", "shards", "seen", "records", "regions"].map(table),
    "CREATE TABLE events (id INTEGER PRIMARY KEY AUTOINCREMENT, value TEXT NOT NULL);",
  ].join("\n"),
];
