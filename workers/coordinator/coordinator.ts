import type { Event } from "../../shared/model/event.ts";
import type { Assignment } from "../../shared/model/messages/assignment.ts";
import type { Report } from "../../shared/model/messages/report.ts";
import type { SharesInput } from "../../shared/model/messages/shares.ts";
import type { RecordDetail } from "../../shared/model/record-detail.ts";
import type { RegionView } from "../../shared/model/region-view.ts";
import type { ProbeStatus, RecordStatus } from "../../shared/model/status.ts";
import { NO_USAGE } from "../../shared/model/usage.ts";
import type { Handlers } from "../forward-methods.ts";
import type {
  ClusterContact,
  ClusterEvent,
  ContactReceipt,
  CoordinatorRpc,
  PartitionOverview,
  PartitionUsage,
  RecordProber,
  SharesReceipt,
} from "../rpc.ts";
import { commit } from "./commit.ts";
import { contact, registerCluster, removeCluster } from "./decide/clusters.ts";
import { putShares } from "./decide/put-shares.ts";
import type { Dependencies } from "./dependencies.ts";
import { receiveReport } from "./fold/receive-report.ts";
import { noteClusters, partitionUsage } from "./fold/usage.ts";
import { viewFor } from "./hand-over.ts";
import { heartbeat, isHeartbeatMissed } from "./heartbeat.ts";
import { OverviewCache } from "./live/overview-cache.ts";
import type { LiveSource } from "./live/stream.ts";
import { probersOf } from "./place/shards.ts";
import type { CoordinatorSettings } from "./state.ts";
import { probeStatus, recordDetail, recordStatuses, regionViews, summariesOf } from "./status.ts";
import { addEvent, lastEventId, listEvents, listNewestEvents } from "./store/events.ts";
import { readMeta } from "./store/meta.ts";
import { Transactions } from "./transactions.ts";

/**
 * One partition's coordinator: the RPC methods of {@link CoordinatorRpc}, which documents them, over a storage. Clock, calls
 * to other objects and timers come in as {@link Dependencies}, so that the class runs without the platform's objects.
 */
export class Coordinator implements Handlers<Omit<CoordinatorRpc, "fetch">> {
  /** What the live stream reads. */
  readonly liveSource: LiveSource;
  readonly #settings: CoordinatorSettings;
  readonly #transactions: Transactions;
  readonly #overview: OverviewCache;

  constructor(
    storage: DurableObjectStorage,
    dependencies: Dependencies,
    settings: CoordinatorSettings,
    partition: number,
  ) {
    this.liveSource = {
      partition,
      now: () => dependencies.now(),
      summaries: (rootHosts) =>
        this.#transactions.read((state, nowMs) => summariesOf(state, rootHosts, nowMs), { records: [], removed: [] }),
      lastEventId: () => this.#transactions.read(({ store }) => lastEventId(store.sql), 0),
      listEvents: (after) => this.listEvents(after),
    };
    this.#settings = settings;
    this.#overview = new OverviewCache({
      rootHosts: () => this.#transactions.read<Iterable<string>>(({ roots }) => roots.keys(), []),
      summaries: this.liveSource.summaries,
      regions: () => this.listRegions(),
    });
    this.#transactions = new Transactions(storage, dependencies, settings, partition, {
      onLoad: () => this.#overview.clear(),
      onCommit: (rootHosts) => {
        this.#overview.markChanged(rootHosts, dependencies.now());
        dependencies.changed(rootHosts);
      },
    });
  }

  registerCluster(cluster: string): void {
    this.#transactions.run((state, nowMs) => registerCluster(state, cluster, nowMs));
  }

  removeCluster(cluster: string, epoch: number): void {
    this.#transactions.runIfStored((state, nowMs) => removeCluster(state, cluster, epoch, nowMs), undefined);
  }

  listClusters(): string[] {
    return this.#transactions.read(({ clusters }) => {
      const present = [...clusters.values()].filter(({ removedEpoch }) => removedEpoch === undefined);
      return present.map(({ name }) => name).sort();
    }, []);
  }

  partitions(): number {
    const { partitions } = this.#settings;
    return this.#transactions.read(({ store }) => readMeta(store.sql, "partitions") ?? partitions, partitions);
  }

  putShares(shares: SharesInput): SharesReceipt {
    return this.#transactions.run((state, nowMs) => putShares(state, shares, nowMs));
  }

  contact(message: ClusterContact): ContactReceipt {
    return this.#transactions.run((state, nowMs) => {
      if (isHeartbeatMissed(state, nowMs)) {
        heartbeat(state, nowMs);
        commit(state);
      }
      return contact(state, message, nowMs);
    });
  }

  report(report: Report): { assignment?: Assignment } {
    const assignment = this.#transactions.runIfStored((state, nowMs) => receiveReport(state, report, nowMs), undefined);
    return assignment === undefined ? {} : { assignment };
  }

  heartbeat(clusters = NO_USAGE): void {
    this.#transactions.runIfStored((state, nowMs) => {
      noteClusters(state, clusters, nowMs);
      heartbeat(state, nowMs);
    }, undefined);
  }

  listRecords(): RecordStatus[] {
    return this.#transactions.read((state, nowMs) => recordStatuses(state, state.roots.values(), nowMs), []);
  }

  viewRecords(cluster: string): RecordStatus[] {
    return this.#transactions.read((state, nowMs) => {
      const known = state.clusters.get(cluster);
      return known === undefined ? [] : viewFor(state, known, nowMs);
    }, []);
  }

  readRecord(rootHost: string): RecordDetail | undefined {
    return this.#transactions.read((state, nowMs) => {
      const root = state.roots.get(rootHost);
      return root && recordDetail(state, root, nowMs);
    }, undefined);
  }

  overview(): PartitionOverview {
    return { ...this.#overview.read(this.liveSource.now()), clusters: this.listClusters() };
  }

  probersOf(rootHost: string): RecordProber[] | undefined {
    return this.#transactions.read((state) => {
      const root = state.roots.get(rootHost);
      return root && probersOf(state, root);
    }, undefined);
  }

  readProbe(id: string): ProbeStatus | undefined {
    return this.#transactions.read((state, nowMs) => {
      const probe = state.probes.get(id);
      return probe && probeStatus(state, probe, nowMs);
    }, undefined);
  }

  listRegions(): RegionView[] {
    return this.#transactions.read((state, nowMs) => regionViews(state, nowMs), []);
  }

  usage(): PartitionUsage | undefined {
    return this.#transactions.read<PartitionUsage | undefined>(partitionUsage, undefined);
  }

  listEvents(after: number): Event[] {
    return this.#transactions.read(({ store }) => listEvents(store.sql, after), []);
  }

  listNewestEvents(last: number, before = Number.MAX_SAFE_INTEGER): Event[] {
    return this.#transactions.read(({ store }) => listNewestEvents(store.sql, last, before), []);
  }

  noteEvent(event: ClusterEvent): void {
    this.#transactions.runIfStored(({ store }, nowMs) => addEvent(store.sql, { ...event, at: nowMs }), undefined);
  }
}
