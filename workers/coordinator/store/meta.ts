import type { PricedItem } from "../../../shared/price/prices.ts";

/** What there is one of; all whole numbers. */
type MetaKey =
  /** Of every number that the coordinator gives out: when this storage was created, Unix ms, or above: see `epoch-recovery.ts`. */
  | "epoch"
  /** When this storage was created, Unix ms, where the epoch tells that no more. */
  | "createdAt"
  | "partition"
  /** How many there were at install: all clusters have to agree on where a record is. */
  | "partitions"
  /** 1 once decisions may be handed out: see `bootstrap-gate.ts`. */
  | "gathered"
  /** The highest number of an assignment of a shard that was forgotten. */
  | "prunedTo"
  /** 1 once the notifier knows that nothing is wrong, 0 while something is. */
  | "untroubled"
  /** A hash of what the assignments were made by: see `assignments.ts`. */
  | "assignedBy"
  /** When it was last told that the free plan's day was nearly used up, Unix ms: see `quota-alerts.ts`. */
  | `quota/${PricedItem}`
  /** How many shares were ever seen: the older of two holds. */
  | "seniority";

/** Undefined where there is none, or none that can be read. */
export function readMeta(sql: SqlStorage, key: MetaKey): number | undefined {
  const text = sql.exec<{ value: string }>("SELECT value FROM meta WHERE key = ?", key).toArray()[0]?.value;
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

export function writeMeta(sql: SqlStorage, key: MetaKey, value: number): void {
  sql.exec("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", key, `${value}`);
}
