import type { MessageNumber } from "../../shared/model/number.ts";

/** The state of the exchange between the cluster and the coordinator of one partition. */
export interface Partition {
  partition: number;
  /** The snapshot that last changed the shares of this partition, and the last one that the coordinator accepted. */
  sharesN: number;
  forwardedN: number;
  registered: boolean;
  /** The number of the newest decisions from that coordinator. */
  decisions: MessageNumber;
}

type Row = {
  partition: number;
  shares_n: number;
  forwarded_n: number;
  registered: number;
  decisions_epoch: number;
  decisions_n: number;
};

/** One row for each partition. The number of partitions is fixed at install. */
export class PartitionTable {
  /** The number of partitions in the current settings. */
  readonly setting: number;
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage, setting: number) {
    this.#sql = sql;
    this.setting = setting;
  }

  count(): number {
    return this.#sql.exec<{ count: number }>("SELECT count(*) AS count FROM partition").one().count;
  }

  create(partitions: number): void {
    for (let partition = 0; partition < partitions; partition += 1) {
      this.#sql.exec("INSERT OR IGNORE INTO partition (partition) VALUES (?)", partition);
    }
  }

  all(): Partition[] {
    return this.#sql.exec<Row>("SELECT * FROM partition ORDER BY partition").toArray().map(ofRow);
  }

  get(partition: number): Partition | undefined {
    return this.#sql.exec<Row>("SELECT * FROM partition WHERE partition = ?", partition).toArray().map(ofRow)[0];
  }

  setShares(partition: number, n: number): void {
    this.#sql.exec("UPDATE partition SET shares_n = ? WHERE partition = ?", n, partition);
  }

  setForwarded(partition: number, n: number): void {
    this.#sql.exec("UPDATE partition SET forwarded_n = ? WHERE partition = ? AND forwarded_n <> ?", n, partition, n);
  }

  setRegistered(partition: number): void {
    this.#sql.exec("UPDATE partition SET registered = 1 WHERE partition = ? AND registered = 0", partition);
  }

  setDecisions(partition: number, { epoch, n }: MessageNumber): void {
    const update = "UPDATE partition SET decisions_epoch = ?, decisions_n = ? WHERE partition = ?";
    this.#sql.exec(update, epoch, n, partition);
  }
}

function ofRow(row: Row): Partition {
  return {
    partition: row.partition,
    sharesN: row.shares_n,
    forwardedN: row.forwarded_n,
    registered: row.registered !== 0,
    decisions: { epoch: row.decisions_epoch, n: row.decisions_n },
  };
}
