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
 * What the objects say to each other. Every call carries whole state, or the differences from a state that it names. It may be
 * lost, doubled or overtaken; the next call corrects that. A refusal is a value, since an error loses its class on the way
 * between objects.
 */

export interface ProberRpc {
  /** Applies the assignment if it is newer, and arms the alarm if that is absent or overdue. Returns the current number. */
  assign(assignment: Assignment): Promise<{ number: MessageNumber }>;
  /**
   * Checks some of its probes now, since another region got another result. Probes that it does not have, or has no room for,
   * wait for their round. So do all if the call is lost.
   */
  lookNow(probes: readonly string[]): Promise<void>;
  /** What was seen of some of its probes. Writes nothing, and makes nothing of a prober that was never assigned anything. */
  history(question: HistoryQuestion): Promise<ProbePoints[]>;
  /** Checks a probe once, now: nothing is stored, counted or reported. */
  checkNow(region: Region, probe: Probe): Promise<CheckedNow>;
}

export interface CheckedNow {
  observation: Observation;
  /** The data centre that the prober runs in, where that is known. */
  colo?: string;
}

export interface CoordinatorRpc {
  /** The probers that have the record's history; undefined for a record that is not here. Only those that were reached once. */
  probersOf(rootHost: string): Promise<RecordProber[] | undefined>;
  /** Makes a cluster known. One that is known already is left as it is. */
  registerCluster(cluster: string): Promise<void>;
  /**
   * Forgets a cluster and its shares. `epoch` is that of the cluster's numbers: a repetition that comes late must not
   * forget one that was registered under the name since.
   */
  removeCluster(cluster: string, epoch: number): Promise<void>;
  listClusters(): Promise<string[]>;
  /** How many partitions there were when the storage was created, that is at install: records stay where they are then. */
  partitions(): Promise<number>;
  /** Takes the cluster's shares if they are newer; answers what became of each, and the newest decisions. */
  putShares(shares: SharesInput): Promise<SharesReceipt>;
  /** The cluster's regular word: tells it whether its shares are missing here, and gives decisions newer than it has. */
  contact(contact: ClusterContact): Promise<ContactReceipt>;
  /** Takes a round's report; gives the assignment where the prober's is older. */
  report(report: Report): Promise<{ assignment?: Assignment }>;
  /**
   * Each minute, from cron: judges silence, nudges shards that missed two rounds, keeps what memory alone holds. `clusters` is
   * the use that the cluster objects reported to cron.
   */
  heartbeat(clusters?: Usage): Promise<void>;
  listRecords(): Promise<RecordStatus[]>;
  /** All records that the cluster has a share in, as they are now; none while nothing may be handed out. Stores nothing. */
  viewRecords(cluster: string): Promise<RecordStatus[]>;
  readRecord(rootHost: string): Promise<RecordDetail | undefined>;
  /** All records and regions in short, with the clusters that are known: what the overview is joined from. */
  overview(): Promise<PartitionOverview>;
  readProbe(id: string): Promise<ProbeStatus | undefined>;
  listRegions(): Promise<RegionView[]>;
  /** What the objects of the partition use; undefined where it has none yet. Stores nothing. */
  usage(): Promise<PartitionUsage | undefined>;
  /** At most 500 events after the id, oldest first. */
  listEvents(after: number): Promise<Event[]>;
  /** The newest `last` events, at most 500, with ids below `before` where that is given; oldest first. */
  listNewestEvents(last: number, before?: number): Promise<Event[]>;
  /** A WebSocket upgrade: a stream of `LiveMessage`, from the events after the query's `after`; or a problem. */
  fetch(request: Request): Promise<Response>;
  /** Puts what happened to a cluster into the event log. */
  noteEvent(event: ClusterEvent): Promise<void>;
}

export interface ClusterRpc {
  register(registration: ClusterRegistration): Promise<Result<{ secret: string }>>;
  describe(): Promise<ClusterView | undefined>;
  /** Registers a cluster as another edge had it; with a new secret where those it had cannot be opened here. */
  restore(exported: ExportedCluster): Promise<Result<{ secret?: string }>>;
  /** What another edge needs to take it over; its secrets are sealed. */
  export(): Promise<ExportedCluster | undefined>;
  /** Gives a second secret; the older of the two stays valid until the next rotation. */
  rotate(): Promise<Result<{ secret: string }>>;
  /** Lets the next snapshot bind another `clusterUid`. */
  rebind(): Promise<Result<object>>;
  remove(): Promise<Result<object>>;
  /** A refusal for its tag carries the one that holds now, where the edge holds a snapshot. */
  putSnapshot(request: SignedRequest & { ifMatch?: string }): Promise<Result<{ receipt: SnapshotReceipt }>>;
  /** The delivery for an agent that asks; `after` is the highest number it has applied. */
  pull(request: SignedRequest & { after: MessageNumber }): Promise<Result<{ delivery: Delivery }>>;
  /** The records as the coordinators see them now: check times and counts for people. Stores nothing, numbers nothing. */
  view(request: SignedRequest): Promise<Result<{ view: RecordsView }>>;
  /** New decisions of one partition; older ones than it has are dropped. An earlier release does not say what became of them. */
  decided(decisions: Decisions): Promise<DecisionsAnswer | undefined>;
  /** The same, but only what has changed since decisions that it has taken. An earlier release knows no such call. */
  decidedInPart(changes: DecisionChanges): Promise<DecisionsAnswer>;
  /**
   * Each minute, from cron: arms the alarm if that is absent or overdue. Returns the use since the object's last report, as far
   * as its memory goes back. An earlier release answers nothing.
   */
  heartbeat(): Promise<Usage | undefined>;
}

/**
 * What became of decisions: `Taken`; `Held` where it had those of the number already, or newer ones, from whomever; `Lacking` where it
 * does not have what changes stand on, and wants all.
 */
export type DecisionsAnswer = "Taken" | "Held" | "Lacking";

/** What is asked of a shard's history. `stepMs` is the step of the span, or a multiple. */
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

/** A shard in one region, and which of a record's probes it has. */
export interface RecordProber {
  shard: Pick<Shard, "region" | "partition" | "intervalMs" | "n">;
  probes: { id: string; leaf: string }[];
}

export interface NotifierRpc {
  /** Takes all that is wrong in a partition, if it is newer; answers when the newest list was made that it has taken, Unix ms. */
  troubles(troubles: Troubles): Promise<{ at: number }>;
  /** Each minute, from cron: tells and sends what is due, and arms the alarm if that is absent or overdue. */
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
  /** By the coordinator's clock, Unix ms: what its stream says after that is newer. */
  at: number;
  records: RecordSummary[];
  regions: RegionView[];
  clusters: string[];
}

export interface PartitionUsage {
  days: UsageOfDays;
  /** Leaves that are probed. */
  endpoints: number;
  /** USD that Route 53 would take a month for the same checks. */
  route53Usd: number;
}

export type ClusterEvent = Pick<Event, "type" | "message"> & { cluster: string };

export interface ClusterContact {
  cluster: string;
  sharesNumber: MessageNumber;
  decisionsNumber: MessageNumber;
  /** Since when deliveries to its agent fail, Unix ms, and what the last one said; absent while they do not. */
  unreachable?: { since: number; failure: string };
  /** What the cluster's object has used since its last word, as far as its memory goes back. */
  usage?: Usage;
}

export interface ContactReceipt {
  sharesWanted: boolean;
  decisions?: Decisions;
}
