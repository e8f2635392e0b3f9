import type { ShareInput } from "../../shared/model/messages/shares.ts";

/** An accepted record as stored: by key (`namespace/name`), with the partition of its root host. */
export interface StoredRecord {
  key: string;
  partition: number;
  share: ShareInput;
}

type Row = { key: string; partition: number; share: string };

/** The last accepted form of every record, one row each. */
export class RecordTable {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  all(): Map<string, StoredRecord> {
    const rows = this.#sql.exec<Row>("SELECT key, partition, share FROM record").toArray();
    return new Map(rows.map((row) => [row.key, { ...row, share: JSON.parse(row.share) }]));
  }

  ofPartition(partition: number): ShareInput[] {
    const select = "SELECT share FROM record WHERE partition = ? ORDER BY key";
    return this.#sql
      .exec<{ share: string }>(select, partition)
      .toArray()
      .map(({ share }) => JSON.parse(share));
  }

  /** Partitions that hold at least one record. */
  usedPartitions(): Set<number> {
    const rows = this.#sql.exec<{ partition: number }>("SELECT DISTINCT partition FROM record").toArray();
    return new Set(rows.map(({ partition }) => partition));
  }

  count(): number {
    return this.#sql.exec<{ count: number }>("SELECT count(*) AS count FROM record").one().count;
  }

  put({ key, partition, share }: StoredRecord): void {
    const insert = "INSERT OR REPLACE INTO record (key, partition, share) VALUES (?, ?, ?)";
    this.#sql.exec(insert, key, partition, JSON.stringify(share));
  }

  remove(key: string): void {
    this.#sql.exec("DELETE FROM record WHERE key = ?", key);
  }
}
