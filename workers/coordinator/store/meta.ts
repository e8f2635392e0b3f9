import type { PricedItem } from "../../../shared/price/prices.ts";

/** Single values; all are whole numbers. */
type MetaKey =
  /** Epoch of all message numbers: when this storage was created, Unix ms, or above (see `epoch-recovery.ts`). */
  | "epoch"
  /** When this storage was created, Unix ms, if the epoch was raised since. */
  | "createdAt"
  | "partition"
  /** Number of partitions at install: all clusters must agree on the partition of a record. */
  | "partitions"
  /** 1 once decisions may be delivered: see `bootstrap-gate.ts`. */
  | "gathered"
  /** The highest assignment number of any pruned shard. */
  | "prunedTo"
  /** 1 once the notifier has confirmed an empty list of alerts, 0 while there are alerts. */
  | "untroubled"
  /** Hash of the settings that the assignments were built with: see `assignments.ts`. */
  | "assignedBy"
  /** When the free plan's quota alert was last raised, Unix ms: see `quota-alerts.ts`. */
  | `quota/${PricedItem}`
  /** Number of shares ever seen: the older of two shares wins. */
  | "seniority";

/** Returns undefined if the value is absent or cannot be read. */
export function readMeta(sql: SqlStorage, key: MetaKey): number | undefined {
  const text = sql.exec<{ value: string }>("SELECT value FROM meta WHERE key = ?", key).toArray()[0]?.value;
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

export function writeMeta(sql: SqlStorage, key: MetaKey, value: number): void {
  sql.exec("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", key, `${value}`);
}
