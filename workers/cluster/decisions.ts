import type { DecisionChanges, Decisions } from "../../shared/model/messages/shares.ts";
import type { RecordStatus } from "../../shared/model/status.ts";

/** A row holds at most 2 MB; a record with many leaves may need more, so each is cut into parts, never within a character. */
const PARTS = /[\s\S]{1,400000}/gu;
/** Root hosts that are asked for in one statement. */
const MOST_AT_ONCE = 1_000;

/** What newer decisions made of those that were held. */
export interface Difference {
  /** Root hosts of the records that are new or other than before. */
  changed: string[];
  /** Root hosts of the records that are no more. */
  removed: string[];
  /** Whether another thing is to be in DNS, and not only said of it. */
  isDecision: boolean;
}

type Row = { partition: number; root_host: string; json: string };

/** The newest decisions of every partition: a record each, in one row or, where it is large, several. */
export class DecisionTable {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** All records, by root host. */
  all(): RecordStatus[] {
    const select = "SELECT partition, root_host, json FROM decision ORDER BY root_host, partition, part";
    return joined(this.#sql.exec<Row>(select).toArray()).map(({ json }): RecordStatus => JSON.parse(json));
  }

  /** The records of these root hosts, of whatever partition; of one that is none here there is none. */
  of(rootHosts: readonly string[]): RecordStatus[] {
    const select = `SELECT decision.partition, root_host, json FROM decision
      WHERE decision.partition IN (SELECT partition FROM partition) AND root_host IN (SELECT value FROM json_each(?))
      ORDER BY root_host, decision.partition, part`;
    const rows = inBatches(rootHosts).flatMap((some) => this.#sql.exec<Row>(select, JSON.stringify(some)).toArray());
    return joined(rows).map(({ json }): RecordStatus => JSON.parse(json));
  }

  /** Makes the records of one partition those given. */
  replace({ partition, records }: Pick<Decisions, "partition" | "records">): Difference {
    const select = "SELECT partition, root_host, json FROM decision WHERE partition = ? ORDER BY root_host, part";
    const held = byRootHost(this.#sql.exec<Row>(select, partition).toArray());
    const coming = new Set(records.map(({ rootHost }) => rootHost));
    const removed = [...held.keys()].filter((rootHost) => !coming.has(rootHost));
    return this.#apply(partition, held, records, removed);
  }

  /** Takes these records of one partition for what they were, and some away; the others are left, and not even read. */
  change({ partition, records, removed }: Pick<DecisionChanges, "partition" | "records" | "removed">): Difference {
    const select =
      "SELECT partition, root_host, json FROM decision WHERE partition = ? AND root_host = ? ORDER BY part";
    const named = new Set([...records.map(({ rootHost }) => rootHost), ...removed]);
    const rows = [...named].flatMap((rootHost) => this.#sql.exec<Row>(select, partition, rootHost).toArray());
    const held = byRootHost(rows);
    const gone = removed.filter((rootHost) => held.has(rootHost));
    return this.#apply(partition, held, records, gone);
  }

  #apply(
    partition: number,
    held: ReadonlyMap<string, string>,
    records: readonly RecordStatus[],
    removed: string[],
  ): Difference {
    const coming = new Map(records.map((record) => [record.rootHost, JSON.stringify(record)]));
    const changed = [...coming].filter(([rootHost, json]) => held.get(rootHost) !== json);
    for (const rootHost of removed) this.#remove(partition, rootHost);
    for (const [rootHost, json] of changed) this.#put(partition, rootHost, json);
    const isDecision = removed.length > 0 || changed.some(([rootHost, json]) => isOther(held.get(rootHost), json));
    return { changed: changed.map(([rootHost]) => rootHost), removed, isDecision };
  }

  #put(partition: number, rootHost: string, json: string): void {
    const parts = json.match(PARTS) ?? [];
    const insert = "INSERT OR REPLACE INTO decision (partition, root_host, part, json) VALUES (?, ?, ?, ?)";
    for (const [part, text] of parts.entries()) this.#sql.exec(insert, partition, rootHost, part, text);
    const trim = "DELETE FROM decision WHERE partition = ? AND root_host = ? AND part >= ?";
    this.#sql.exec(trim, partition, rootHost, parts.length);
  }

  #remove(partition: number, rootHost: string): void {
    this.#sql.exec("DELETE FROM decision WHERE partition = ? AND root_host = ?", partition, rootHost);
  }
}

/** A value that is bound holds 2 MB at most, and a name 253 characters. */
function inBatches(rootHosts: readonly string[]): string[][] {
  const batches = Math.ceil(rootHosts.length / MOST_AT_ONCE);
  return Array.from({ length: batches }, (_, at) => rootHosts.slice(at * MOST_AT_ONCE, (at + 1) * MOST_AT_ONCE));
}

function joined(rows: readonly Row[]): Row[] {
  const records = new Map<string, Row>();
  for (const row of rows) {
    const key = `${row.partition} ${row.root_host}`;
    records.set(key, { ...row, json: (records.get(key)?.json ?? "") + row.json });
  }
  return [...records.values()];
}

/** The records of one partition, as JSON. */
function byRootHost(rows: readonly Row[]): Map<string, string> {
  return new Map(joined(rows).map((row) => [row.root_host, row.json]));
}

/** Whether another thing is to be in DNS than before, where there was one that can be read. */
function isOther(before: string | undefined, after: string): boolean {
  const decisionIn = (json: string) => {
    const { endpoints, leaves }: RecordStatus = JSON.parse(json);
    return JSON.stringify([endpoints, leaves]);
  };
  try {
    return before === undefined || decisionIn(before) !== decisionIn(after);
  } catch {
    return true;
  }
}
