import { hasTables, migrate } from "../migrate.ts";
import { commit } from "./commit.ts";
import type { Dependencies } from "./dependencies.ts";
import { noteActivity } from "./fold/activity.ts";
import { noteSettings } from "./place/assignments.ts";
import type { CoordinatorSettings, CoordinatorState } from "./state.ts";
import { loadState } from "./store/load.ts";
import { readMeta, writeMeta } from "./store/meta.ts";
import { MIGRATIONS } from "./store/migrations.ts";
import { storeOf } from "./store/tables.ts";

/** What a transaction tells its owner. */
interface TransactionEvents {
  /** The state was read from storage, at a start or after an error. */
  onLoad(): void;
  /** A transaction is over, and these records look different or are gone. */
  onCommit(rootHosts: readonly string[]): void;
}

/**
 * The coordinator's state in memory and in storage. Each call is one transaction: if it throws, storage is rolled back
 * and memory is read again. Nothing is stored before the first call that needs it, so that cron and readers create no storage.
 */
export class Transactions {
  readonly #storage: DurableObjectStorage;
  readonly #dependencies: Dependencies;
  readonly #settings: CoordinatorSettings;
  readonly #partition: number;
  readonly #events: TransactionEvents;
  #state: CoordinatorState | undefined;

  constructor(
    storage: DurableObjectStorage,
    dependencies: Dependencies,
    settings: CoordinatorSettings,
    partition: number,
    events: TransactionEvents,
  ) {
    this.#storage = storage;
    this.#dependencies = dependencies;
    this.#settings = settings;
    this.#partition = partition;
    this.#events = events;
    if (hasTables(storage.sql)) this.#load();
  }

  /** Reads the state; returns the fallback while nothing is stored. */
  read<Value>(read: (state: CoordinatorState, nowMs: number) => Value, fallback: Value): Value {
    return this.#state === undefined ? fallback : read(this.#state, this.#dependencies.now());
  }

  /** Runs a call, but only if something is stored; otherwise it returns the fallback. */
  runIfStored<Value>(call: (state: CoordinatorState, nowMs: number) => Value, fallback: Value): Value {
    return this.#state === undefined ? fallback : this.run(call);
  }

  /** Runs a call as one transaction; creates the storage if there is none. */
  run<Value>(call: (state: CoordinatorState, nowMs: number) => Value): Value {
    const state = this.#state ?? this.#load();
    const value = this.#transact(state, call);
    const changed = [...state.changedRoots];
    state.changedRoots.clear();
    this.#events.onCommit(changed);
    return value;
  }

  #transact<Value>(state: CoordinatorState, call: (state: CoordinatorState, nowMs: number) => Value): Value {
    const nowMs = this.#dependencies.now();
    try {
      return this.#storage.transactionSync(() => {
        noteActivity(state, nowMs);
        const value = call(state, nowMs);
        commit(state);
        return value;
      });
    } catch (error) {
      state.isAbandoned = true;
      this.#state = undefined;
      this.#load();
      throw error;
    }
  }

  #load(): CoordinatorState {
    migrate(this.#storage, MIGRATIONS);
    const { sql } = this.#storage;
    if (readMeta(sql, "epoch") === undefined) {
      writeMeta(sql, "epoch", this.#dependencies.now());
      writeMeta(sql, "partition", this.#partition);
      noteSettings(sql, this.#settings);
    }
    if (readMeta(sql, "partitions") === undefined) writeMeta(sql, "partitions", this.#settings.partitions);
    const state = loadState(storeOf(sql), this.#dependencies, this.#settings);
    this.#state = state;
    this.#events.onLoad();
    return state;
  }
}
