import { z } from "zod";
import type { Budget } from "../../../shared/budget.ts";
import type { Assignment, Shard } from "../../../shared/model/messages/assignment.ts";
import { shard } from "../../../shared/model/messages/assignment.ts";
import type { MessageNumber } from "../../../shared/model/number.ts";
import type { Probe } from "../../../shared/model/probe.ts";
import { counts, probe } from "../../../shared/model/probe.ts";
import { NO_NUMBER } from "../../../shared/number.ts";
import { hasTables, migrate } from "../../migrate.ts";
import { errorMessage } from "../../retry.ts";
import type { History } from "../history/history.ts";
import { HISTORY_MIGRATION } from "../history/rollup-tables.ts";
import type { StoredProbeState } from "./probe-state.ts";

/** Forward only: a released entry is never edited, and older code must be able to run on what a newer one makes. */
export const MIGRATIONS = [
  `CREATE TABLE object (created_at INTEGER NOT NULL);
   CREATE TABLE assignment (one INTEGER PRIMARY KEY CHECK (one = 1), epoch INTEGER NOT NULL, n INTEGER NOT NULL, shard TEXT NOT NULL);
   CREATE TABLE probe (id TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;
   CREATE TABLE marks (one INTEGER PRIMARY KEY CHECK (one = 1), body TEXT NOT NULL);`,
  HISTORY_MIGRATION,
  "ALTER TABLE marks ADD COLUMN budget TEXT;",
];

const marks = z.record(
  z.string(),
  z.object({ revision: z.string(), counts, reached: z.boolean(), checkedAt: z.int().optional() }),
);

const budget = z.object({ left: z.int().nonnegative(), at: z.int() });

/** What the object was assigned, and when its storage was created (the epoch of its reports). */
export interface StoredShard {
  epoch: number;
  number: MessageNumber;
  shard: Shard;
  probes: Probe[];
  marks: Map<string, StoredProbeState>;
  /** The open row of history, as text. */
  history: string | undefined;
  /** For confirmations; absent while nothing was spent. */
  budget: Budget | undefined;
}

/** What is in the row of the marks beside them. */
type Beside = { history: string | null; budget: string | null };

/**
 * The storage of a shard. All marks are one row, since a written row is the cost of a round. A probe is a row of its own, so that
 * an assignment writes only its changes.
 */
export class ShardStore {
  readonly #storage: DurableObjectStorage;
  /** The marks as they were written last, without their times: these alone are worth no row. */
  #written = "";

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
  }

  get #sql(): SqlStorage {
    return this.#storage.sql;
  }

  /** Reads everything; undefined for an object that was never assigned anything. Rows that cannot be read are left out. */
  read(): StoredShard | undefined {
    if (!hasTables(this.#sql)) return undefined;
    migrate(this.#storage, MIGRATIONS);
    const [row] = this.#sql.exec<{ epoch: number; n: number; shard: string }>("SELECT * FROM assignment").toArray();
    if (row === undefined) return undefined;
    const held = this.#readMarks();
    this.#written = essence(held);
    const { probes, isWhole } = this.#readProbes();
    const [beside] = this.#sql.exec<Beside>("SELECT history, budget FROM marks").toArray();
    return {
      epoch: this.#epoch(),
      // With a probe missing, any assignment is newer: the coordinator gives its own again.
      number: isWhole ? { epoch: row.epoch, n: row.n } : NO_NUMBER,
      shard: shard.parse(JSON.parse(row.shard)),
      probes,
      marks: held,
      history: beside?.history ?? undefined,
      budget: beside?.budget ? readJson(budget, beside.budget) : undefined,
    };
  }

  /** For reading; undefined where nothing was ever stored. */
  get tables(): SqlStorage | undefined {
    return hasTables(this.#sql) ? this.#sql : undefined;
  }

  /** Stores an assignment: the rows that differ, in one transaction. Answers the epoch of the object's reports. */
  writeAssignment({ number, shard, probes }: Assignment, now: number): number {
    migrate(this.#storage, MIGRATIONS);
    this.#storage.transactionSync(() => {
      this.#sql.exec("INSERT INTO object (created_at) SELECT ? WHERE NOT EXISTS (SELECT 1 FROM object)", now);
      this.#sql.exec(
        "INSERT OR REPLACE INTO assignment (one, epoch, n, shard) VALUES (1, ?, ?, ?)",
        number.epoch,
        number.n,
        JSON.stringify(shard),
      );
      this.#writeProbes(probes);
    });
    return this.#epoch();
  }

  /**
   * Stores the marks if they differ from the stored ones in more than their times. It also does so if history is due, which is in
   * the same row. Should history fail, the marks are stored without.
   */
  writeMarks(current: ReadonlyMap<string, StoredProbeState>, history: History, budget: Budget | undefined): void {
    const now = essence(current);
    const isChanged = now !== this.#written;
    if (!isChanged && !history.isDue) return;
    const body = JSON.stringify(Object.fromEntries(current));
    try {
      this.#storage.transactionSync(() => {
        const open = history.store(this.#sql);
        const left = budget === undefined ? null : JSON.stringify(budget);
        this.#sql.exec(
          "INSERT OR REPLACE INTO marks (one, body, history, budget) VALUES (1, ?, ?, ?)",
          body,
          open,
          left,
        );
      });
      history.onStored();
    } catch (error) {
      console.error("History could not be stored:", errorMessage(error));
      if (isChanged) this.#writeBody(body);
    }
    this.#written = now;
  }

  #writeBody(body: string): void {
    const update = "ON CONFLICT (one) DO UPDATE SET body = excluded.body";
    this.#sql.exec(`INSERT INTO marks (one, body) VALUES (1, ?) ${update}`, body);
  }

  #writeProbes(probes: readonly Probe[]): void {
    const stored = this.#probeRows();
    for (const probe of probes) {
      const body = JSON.stringify(probe);
      if (stored.get(probe.id) !== body) this.#sql.exec("INSERT OR REPLACE INTO probe VALUES (?, ?)", probe.id, body);
      stored.delete(probe.id);
    }
    for (const id of stored.keys()) this.#sql.exec("DELETE FROM probe WHERE id = ?", id);
  }

  #probeRows(): Map<string, string> {
    const rows = this.#sql.exec<{ id: string; body: string }>("SELECT id, body FROM probe").toArray();
    return new Map(rows.map(({ id, body }) => [id, body]));
  }

  #readProbes(): { probes: Probe[]; isWhole: boolean } {
    const rows = [...this.#probeRows().values()];
    const probes = rows.flatMap((body) => readJson(probe, body) ?? []);
    return { probes, isWhole: probes.length === rows.length };
  }

  #readMarks(): Map<string, StoredProbeState> {
    const [row] = this.#sql.exec<{ body: string }>("SELECT body FROM marks").toArray();
    return new Map(Object.entries((row && readJson(marks, row.body)) ?? {}));
  }

  #epoch(): number {
    return this.#sql.exec<{ created_at: number }>("SELECT created_at FROM object").one().created_at;
  }
}

function essence(current: ReadonlyMap<string, StoredProbeState>): string {
  const entries = [...current].sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(entries.map(([id, { revision, counts, reached }]) => [id, revision, counts, reached]));
}

/** One bad row must not stop the object from starting. */
function readJson<Schema extends z.ZodType>(schema: Schema, text: string): z.output<Schema> | undefined {
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    console.error("A stored row cannot be read and is left out:", error instanceof Error ? error.name : error);
    return undefined;
  }
}
