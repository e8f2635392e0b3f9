import type { Event } from "../../shared/model/event.ts";
import type { Assignment } from "../../shared/model/messages/assignment.ts";
import type { Report } from "../../shared/model/messages/report.ts";
import type { SharesInput } from "../../shared/model/messages/shares.ts";
import type { RecordSummary } from "../../shared/model/overview.ts";
import type { RecordDetail } from "../../shared/model/record-detail.ts";
import type { RegionView } from "../../shared/model/region-view.ts";
import type { ProbeStatus, RecordStatus } from "../../shared/model/status.ts";
import { NO_USAGE } from "../../shared/model/usage.ts";
import { hasTables, migrate } from "../migrate.ts";
import type {
  ClusterContact,
  ClusterEvent,
  ContactReceipt,
  PartitionOverview,
  PartitionUsage,
  RecordProber,
  SharesReceipt,
} from "../rpc.ts";
import { commit } from "./commit.ts";
import { contact, registerCluster, removeCluster } from "./decide/clusters.ts";
import { putShares } from "./decide/put-shares.ts";
import type { Outside } from "./dependencies.ts";
import { noteActivity } from "./fold/activity.ts";
import { receiveReport } from "./fold/receive-report.ts";
import { noteClusters, partitionUsage } from "./fold/usage.ts";
import { viewFor } from "./hand-over.ts";
import { heartbeat, isHeartbeatMissed } from "./heartbeat.ts";
import { HeldOverview } from "./live/overview-cache.ts";
import type { Watched } from "./live/stream.ts";
import { noteRules } from "./place/assignments.ts";
import { probersOf } from "./place/shards.ts";
import type { Rules, World } from "./state.ts";
import { probeStatus, recordDetail, recordStatuses, regionViews, summariesOf } from "./status.ts";
import { addEvent, lastEventId, listEvents, listNewestEvents } from "./store/events.ts";
import { loadWorld } from "./store/load.ts";
import { readMeta, writeMeta } from "./store/meta.ts";
import { MIGRATIONS } from "./store/migrations.ts";
import { storeOf } from "./store/tables.ts";

/**
 * The work of the coordinator over a storage, whatever is outside. Each call is one transaction: should it throw, storage
 * is as it was before, and memory is read from it again. Nothing is stored before a cluster is heard of, so that neither
 * cron nor a reader brings a coordinator about.
 */
export class Coordination implements Watched {
  readonly #storage: DurableObjectStorage;
  readonly #outside: Outside;
  readonly #rules: Rules;
  readonly partition: number;
  #world: World | undefined;
  readonly #overview = new HeldOverview({
    rootHosts: () => this.#world?.roots.keys() ?? [],
    summaries: (rootHosts) => this.summaries(rootHosts),
    regions: () => this.listRegions(),
  });

  constructor(storage: DurableObjectStorage, outside: Outside, rules: Rules, partition: number) {
    this.#storage = storage;
    this.#outside = outside;
    this.#rules = rules;
    this.partition = partition;
    if (hasTables(storage.sql)) this.#open();
  }

  now(): number {
    return this.#outside.now();
  }

  registerCluster(cluster: string): void {
    this.#call((world, nowMs) => registerCluster(world, cluster, nowMs));
  }

  removeCluster(cluster: string, epoch: number): void {
    this.#callIfAny((world, nowMs) => removeCluster(world, cluster, epoch, nowMs), undefined);
  }

  putShares(shares: SharesInput): SharesReceipt {
    return this.#call((world, nowMs) => putShares(world, shares, nowMs));
  }

  contact(word: ClusterContact): ContactReceipt {
    return this.#call((world, nowMs) => {
      if (isHeartbeatMissed(world, nowMs)) {
        heartbeat(world, nowMs);
        commit(world);
      }
      return contact(world, word, nowMs);
    });
  }

  report(report: Report): Assignment | undefined {
    return this.#callIfAny((world, nowMs) => receiveReport(world, report, nowMs), undefined);
  }

  heartbeat(clusters = NO_USAGE): void {
    this.#callIfAny((world, nowMs) => {
      noteClusters(world, clusters, nowMs);
      heartbeat(world, nowMs);
    }, undefined);
  }

  listClusters(): string[] {
    const clusters = [...(this.#world?.clusters.values() ?? [])];
    return clusters.flatMap(({ name, removedEpoch }) => (removedEpoch === undefined ? [name] : [])).sort();
  }

  /** How many there were when this storage was created, or are where there is none. */
  partitions(): number {
    const { partitions } = this.#rules;
    return this.#world === undefined ? partitions : (readMeta(this.#storage.sql, "partitions") ?? partitions);
  }

  listRecords(): RecordStatus[] {
    return this.#read((world, nowMs) => recordStatuses(world, world.roots.values(), nowMs), []);
  }

  viewRecords(cluster: string): RecordStatus[] {
    return this.#read((world, nowMs) => {
      const known = world.clusters.get(cluster);
      return known === undefined ? [] : viewFor(world, known, nowMs);
    }, []);
  }

  readRecord(rootHost: string): RecordDetail | undefined {
    return this.#read((world, nowMs) => {
      const root = world.roots.get(rootHost);
      return root && recordDetail(world, root, nowMs);
    }, undefined);
  }

  overview(): PartitionOverview {
    return { ...this.#overview.read(this.#outside.now()), clusters: this.listClusters() };
  }

  probersOf(rootHost: string): RecordProber[] | undefined {
    return this.#read((world) => {
      const root = world.roots.get(rootHost);
      return root && probersOf(world, root);
    }, undefined);
  }

  readProbe(id: string): ProbeStatus | undefined {
    return this.#read((world, nowMs) => {
      const probe = world.probes.get(id);
      return probe && probeStatus(world, probe, nowMs);
    }, undefined);
  }

  listRegions(): RegionView[] {
    return this.#read((world, nowMs) => regionViews(world, nowMs), []);
  }

  /** Undefined where there is no partition yet. */
  usage(): PartitionUsage | undefined {
    return this.#read<PartitionUsage | undefined>((world, nowMs) => partitionUsage(world, nowMs), undefined);
  }

  listEvents(after: number): Event[] {
    return this.#world === undefined ? [] : listEvents(this.#storage.sql, after);
  }

  listNewestEvents(last: number, before = Number.MAX_SAFE_INTEGER): Event[] {
    return this.#world === undefined ? [] : listNewestEvents(this.#storage.sql, last, before);
  }

  lastEventId(): number {
    return this.#world === undefined ? 0 : lastEventId(this.#storage.sql);
  }

  summaries(rootHosts: Iterable<string>): { records: RecordSummary[]; removed: string[] } {
    return this.#read((world, nowMs) => summariesOf(world, rootHosts, nowMs), { records: [], removed: [] });
  }

  noteEvent(event: ClusterEvent): void {
    this.#callIfAny((world, nowMs) => addEvent(world.store.sql, { ...event, at: nowMs }), undefined);
  }

  #read<Value>(read: (world: World, nowMs: number) => Value, none: Value): Value {
    return this.#world === undefined ? none : read(this.#world, this.#outside.now());
  }

  #callIfAny<Value>(work: (world: World, nowMs: number) => Value, none: Value): Value {
    return this.#world === undefined ? none : this.#call(work);
  }

  #call<Value>(work: (world: World, nowMs: number) => Value): Value {
    const world = this.#world ?? this.#open();
    const value = this.#transact(world, work);
    const changed = [...world.changedRoots];
    world.changedRoots.clear();
    this.#overview.changed(changed, this.#outside.now());
    this.#outside.changed(changed);
    return value;
  }

  #transact<Value>(world: World, work: (world: World, nowMs: number) => Value): Value {
    const nowMs = this.#outside.now();
    try {
      return this.#storage.transactionSync(() => {
        noteActivity(world, nowMs);
        const value = work(world, nowMs);
        commit(world);
        return value;
      });
    } catch (error) {
      world.isAbandoned = true;
      this.#world = undefined;
      this.#open();
      throw error;
    }
  }

  #open(): World {
    migrate(this.#storage, MIGRATIONS);
    const { sql } = this.#storage;
    if (readMeta(sql, "epoch") === undefined) {
      writeMeta(sql, "epoch", this.#outside.now());
      writeMeta(sql, "partition", this.partition);
      noteRules(sql, this.#rules);
    }
    if (readMeta(sql, "partitions") === undefined) writeMeta(sql, "partitions", this.#rules.partitions);
    const world = loadWorld(storeOf(sql), this.#outside, this.#rules);
    this.#world = world;
    this.#overview.forget();
    return world;
  }
}
