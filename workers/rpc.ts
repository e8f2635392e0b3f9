import type { ClusterRegistration, ClusterView } from "../shared/model/cluster.ts";
import type { Condition } from "../shared/model/condition.ts";
import type { Event } from "../shared/model/event.ts";
import type { ExportedCluster } from "../shared/model/export.ts";
import type { HistoryPoint, HistorySpan } from "../shared/model/history.ts";
import type { Assignment, Shard } from "../shared/model/messages/assignment.ts";
import type { Delivery } from "../shared/model/messages/delivery.ts";
import type { RecordsView } from "../shared/model/messages/records-view.ts";
import type { Report } from "../shared/model/messages/report.ts";
import type { DecisionChanges, Decisions, SharesInput } from "../shared/model/messages/shares.ts";
import type { SnapshotReceipt } from "../shared/model/messages/snapshot.ts";
import type { MessageNumber } from "../shared/model/number.ts";
import type { Observation } from "../shared/model/observation.ts";
import type { RecordSummary } from "../shared/model/overview.ts";
import type { Probe } from "../shared/model/probe.ts";
import type { Problem } from "../shared/model/problem.ts";
import type { RecordDetail } from "../shared/model/record-detail.ts";
import type { Region } from "../shared/model/region.ts";
import type { RegionView } from "../shared/model/region-view.ts";
import type { ProbeStatus, RecordStatus } from "../shared/model/status.ts";
import type { Troubles } from "../shared/model/trouble.ts";
import type { Usage, UsageOfDays } from "../shared/model/usage.ts";
import type { SignedRequest } from "../shared/signature.ts";

/*
 * RPC between the objects. Every call carries the whole state, or the difference to a state that it names. Calls may
 * be lost, doubled or reordered; the next one repairs that. A refusal is a value, since an error loses its class
 * between objects.
 */

export interface ProberRpc {
  /**
   * Applies the assignment if it is newer, and sets the alarm if it is absent or overdue. Returns the number that the
   * prober holds.
   */
  assign(assignment: Assignment): Promise<{ number: MessageNumber }>;
  /**
   * Rechecks some probes now, since another region saw a different result. Probes that are unknown or exceed the
   * capacity wait for their round, and so do all if the call is lost.
   */
  lookNow(probes: readonly string[]): Promise<void>;
  /**
   * The history of some of its probes. Writes nothing, and does not create a prober that was never assigned anything.
   */
  history(question: HistoryQuestion): Promise<ProbePoints[]>;
  /** Checks a probe once, now. The result is not stored, counted or reported. */
  checkNow(region: Region, probe: Probe): Promise<CheckedNow>;
}

export interface CheckedNow {
  observation: Observation;
  /** The data centre of the prober, if known. */
  colo?: string;
}

export interface CoordinatorRpc {
  /**
   * The probers that have the record's history; undefined if the record is unknown. Only probers that were reached
   * once.
   */
  probersOf(rootHost: string): Promise<RecordProber[] | undefined>;
  /** Registers a cluster. A registered cluster stays as it is. */
  registerCluster(cluster: string): Promise<void>;
  /**
   * Removes a cluster and its shares. `epoch` is the epoch of the cluster's numbers: a late repetition must not
   * remove a cluster that was registered under the name since.
   */
  removeCluster(cluster: string, epoch: number): Promise<void>;
  listClusters(): Promise<string[]>;
  /** The number of partitions when the storage was created, at install. Records stay in their partition. */
  partitions(): Promise<number>;
  /** Applies the cluster's shares if they are newer. Returns the conditions of each share, and the newest decisions. */
  putShares(shares: SharesInput): Promise<SharesReceipt>;
  /** The cluster's regular contact. Returns whether its shares are missing here, and decisions newer than its own. */
  contact(contact: ClusterContact): Promise<ContactReceipt>;
  /** Folds a round's report. Returns the assignment if the prober's is older. */
  report(report: Report): Promise<{ assignment?: Assignment }>;
  /**
   * Each minute, from cron: judges silence, assigns shards again that missed two rounds, and stores what only memory
   * holds. `clusters` is the usage that the objects of clusters returned to cron.
   */
  heartbeat(clusters?: Usage): Promise<void>;
  listRecords(): Promise<RecordStatus[]>;
  /**
   * All records in which the cluster has a share, as they are now; empty while nothing may be delivered. Stores
   * nothing.
   */
  viewRecords(cluster: string): Promise<RecordStatus[]>;
  readRecord(rootHost: string): Promise<RecordDetail | undefined>;
  /** Summaries of all records and regions, with the known clusters. The API joins the overview from them. */
  overview(): Promise<PartitionOverview>;
  readProbe(id: string): Promise<ProbeStatus | undefined>;
  listRegions(): Promise<RegionView[]>;
  /** Usage of the objects of the partition; undefined if it has none yet. Stores nothing. */
  usage(): Promise<PartitionUsage | undefined>;
  /** At most 500 events after the id, oldest first. */
  listEvents(after: number): Promise<Event[]>;
  /** The newest `last` events, at most 500, with ids below `before` if it is given; oldest first. */
  listNewestEvents(last: number, before?: number): Promise<Event[]>;
  /** A WebSocket upgrade: a stream of `LiveMessage` from the events after the query's `after`, or a problem. */
  fetch(request: Request): Promise<Response>;
  /** Adds an event of a cluster to the event log. */
  noteEvent(event: ClusterEvent): Promise<void>;
}

export interface ClusterRpc {
  register(registration: ClusterRegistration): Promise<Result<{ secret: string }>>;
  describe(): Promise<ClusterView | undefined>;
  /** Registers a cluster exported by another edge, with a new secret if the exported secrets cannot be opened here. */
  restore(exported: ExportedCluster): Promise<Result<{ secret?: string }>>;
  /** The export for another edge; its secrets are sealed. */
  export(): Promise<ExportedCluster | undefined>;
  /** Creates a second secret. The older one stays valid until the next rotation. */
  rotate(): Promise<Result<{ secret: string }>>;
  /** Lets the next snapshot bind a different `clusterUid`. */
  rebind(): Promise<Result<object>>;
  remove(): Promise<Result<object>>;
  /** A refusal of its tag carries the current tag, if the edge has a snapshot. */
  putSnapshot(request: SignedRequest & { ifMatch?: string }): Promise<Result<{ receipt: SnapshotReceipt }>>;
  /** The delivery for an agent that asks; `after` is the highest number it has applied. */
  pull(request: SignedRequest & { after: MessageNumber }): Promise<Result<{ delivery: Delivery }>>;
  /** The records as the coordinators see them now: check times and counts for people. Stores and numbers nothing. */
  view(request: SignedRequest): Promise<Result<{ view: RecordsView }>>;
  /** New decisions of one partition; older ones than it has are dropped. An earlier release does not say what became of them. */
  decided(decisions: Decisions): Promise<DecisionsAnswer | undefined>;
  /** The same, but only what has changed since decisions that it has taken. An earlier release knows no such call. */
  decidedInPart(changes: DecisionChanges): Promise<DecisionsAnswer>;
  /**
   * Each minute, from cron: sets the alarm if it is absent or overdue. Returns the usage of the object since its last
   * message, as far as its memory goes back. An earlier release returns nothing.
   */
  heartbeat(): Promise<Usage | undefined>;
}

/**
 * What became of decisions: `Taken`; `Held` where it had those of the number already, or newer ones, from whomever; `Lacking` where it
 * does not have what changes stand on, and wants all.
 */
export type DecisionsAnswer = "Taken" | "Held" | "Lacking";

/** A query for a shard's history. `stepMs` is the step of the span, or a multiple. */
export interface HistoryQuestion {
  span: HistorySpan;
  stepMs: number;
  probes: readonly string[];
}

/** The points of one probe, the oldest first. */
export interface ProbePoints {
  probe: string;
  points: HistoryPoint[];
}

/** A shard in one region, and the probes of a record in it. */
export interface RecordProber {
  shard: Pick<Shard, "region" | "partition" | "intervalMs" | "n">;
  probes: { id: string; leaf: string }[];
}

export interface NotifierRpc {
  /** Applies the alerts of a partition, if newer. Returns when the newest list that it has was made, Unix ms. */
  troubles(troubles: Troubles): Promise<{ at: number }>;
  /** Each minute, from cron: sends due notifications, and sets the alarm if it is absent or overdue. */
  heartbeat(): Promise<void>;
}

export type Result<Value> = ({ ok: true } & Value) | { ok: false; problem: Problem; etag?: string };

export interface SharesReceipt {
  /** The newest shares that the coordinator holds for the cluster. */
  number: MessageNumber;
  records: { record: string; conditions: Condition[] }[];
  decisions?: Decisions;
}

export interface PartitionOverview {
  /** By the coordinator's clock, Unix ms. Later messages of its stream are newer. */
  at: number;
  records: RecordSummary[];
  regions: RegionView[];
  clusters: string[];
}

export interface PartitionUsage {
  days: UsageOfDays;
  /** Number of probed leaves. */
  endpoints: number;
  /** Monthly price of the same checks at Route 53, USD. */
  route53Usd: number;
}

export type ClusterEvent = Pick<Event, "type" | "message"> & { cluster: string };

export interface ClusterContact {
  cluster: string;
  sharesNumber: MessageNumber;
  decisionsNumber: MessageNumber;
  /** Since when deliveries to its agent fail, Unix ms, and the error of the last one; absent while they succeed. */
  unreachable?: { since: number; failure: string };
  /** Usage of the cluster's object since its last contact, as far as its memory goes back. */
  usage?: Usage;
}

export interface ContactReceipt {
  sharesWanted: boolean;
  decisions?: Decisions;
}
