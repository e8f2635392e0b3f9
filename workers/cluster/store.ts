import type { ClusterRegistration } from "../../shared/model/cluster.ts";
import type { MessageNumber } from "../../shared/model/number.ts";
import { NO_NUMBER } from "../../shared/number.ts";
import { hasTables, migrate } from "../migrate.ts";
import type { Instances } from "./agent-instances.ts";
import { DecisionTable } from "./decisions.ts";
import type { Unconfirmed } from "./delivery-events.ts";
import { JsonValue } from "./json-value.ts";
import { LastSeen, type Seen } from "./last-seen.ts";
import { PartitionTable } from "./partitions.ts";
import { RecordTable } from "./records.ts";
import type { PendingShrink } from "./shrink.ts";

/** Forward only: a released entry is never edited, and older code must be able to run on what a newer one makes. */
export const MIGRATIONS = [
  `CREATE TABLE cell (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
   CREATE TABLE record (key TEXT PRIMARY KEY, partition INTEGER NOT NULL, share TEXT NOT NULL) WITHOUT ROWID;
   CREATE TABLE decision (
     partition INTEGER NOT NULL, root_host TEXT NOT NULL, part INTEGER NOT NULL, json TEXT NOT NULL,
     PRIMARY KEY (partition, root_host, part)
   ) WITHOUT ROWID;
   CREATE TABLE partition (
     partition INTEGER PRIMARY KEY,
     shares_n INTEGER NOT NULL DEFAULT 0,
     forwarded_n INTEGER NOT NULL DEFAULT 0,
     registered INTEGER NOT NULL DEFAULT 0,
     decisions_epoch INTEGER NOT NULL DEFAULT 0,
     decisions_n INTEGER NOT NULL DEFAULT 0
   );`,
];

/** Who the cluster is. `epoch` is when this storage was made, Unix ms: the epoch of all its numbers. */
export interface Identity extends Partial<ClusterRegistration> {
  epoch: number;
  /** The newest first; the second is the one before it, valid while rotating. */
  secrets: string[];
  clusterUid?: string;
  /** The setting PARTITIONS that the event log has as a wrong one. */
  toldPartitions?: number;
}

export interface SnapshotState {
  /** Goes up with each snapshot that changed something. */
  n: number;
  /** When the first one was accepted, Unix ms: how long decisions have been waited for. */
  firstAt?: number;
  /** The signed time of the last one that changed something, and the ids that came with that time. */
  signedAtMs: number;
  ids: string[];
  /** Records of the last one that were refused, by key or line, and why. */
  refused: string[];
  instances: Instances;
  pendingShrink?: PendingShrink;
}

export interface OutboxState {
  /** Of the numbers of deliveries, where an agent had applied one of a later epoch than the cluster's own. */
  epoch?: number;
  /** Goes up with each change of the decisions. */
  n: number;
  /** The highest number that the agent says it has applied. */
  acknowledged: MessageNumber;
  /** Whether every partition has given its decisions once: before, nothing is delivered. */
  complete: boolean;
  /** Decisions that the agent has not confirmed yet; absent where it has them all. */
  unconfirmed?: Unconfirmed;
  failures: number;
  lastFailure?: string;
  /** When the first of these failed, Unix ms. */
  failingSince?: number;
  /** Not before this time after a failure, Unix ms. */
  retryAt?: number;
}

/** Everything that a cluster object stores. */
export class ClusterStore {
  readonly storage: DurableObjectStorage;
  readonly identity: JsonValue<Identity>;
  readonly snapshot: JsonValue<SnapshotState>;
  readonly outbox: JsonValue<OutboxState>;
  readonly seen: LastSeen;
  readonly records: RecordTable;
  readonly decisions: DecisionTable;
  readonly partitions: PartitionTable;

  private constructor(storage: DurableObjectStorage, partitions: number) {
    migrate(storage, MIGRATIONS);
    const { sql } = storage;
    this.storage = storage;
    this.identity = new JsonValue<Identity>(sql, "identity", { epoch: 0, secrets: [] });
    this.snapshot = new JsonValue<SnapshotState>(sql, "snapshot", {
      n: 0,
      signedAtMs: 0,
      ids: [],
      refused: [],
      instances: [],
    });
    this.outbox = new JsonValue<OutboxState>(sql, "outbox", {
      n: 0,
      acknowledged: NO_NUMBER,
      complete: false,
      failures: 0,
    });
    this.seen = new LastSeen(new JsonValue<Seen>(sql, "seen", {}));
    this.records = new RecordTable(sql);
    this.decisions = new DecisionTable(sql);
    this.partitions = new PartitionTable(sql, partitions);
  }

  /**
   * The store of a cluster that is registered; undefined, and nothing is made, for any other name. `partitions` is what the
   * setting says: the store goes by the number it was made with.
   */
  static open(storage: DurableObjectStorage, partitions: number): ClusterStore | undefined {
    if (!hasTables(storage.sql)) return undefined;
    const store = new ClusterStore(storage, partitions);
    return store.identity.get().secrets.length > 0 ? store : undefined;
  }

  static create(storage: DurableObjectStorage, partitions: number): ClusterStore {
    return new ClusterStore(storage, partitions);
  }
}
