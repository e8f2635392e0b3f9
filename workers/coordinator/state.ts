import type { Budget } from "../../shared/budget.ts";
import type { Recent } from "../../shared/health/flapping.ts";
import type { Standing } from "../../shared/health/verdict.ts";
import type { Condition } from "../../shared/model/condition.ts";
import type { Endpoint } from "../../shared/model/endpoint.ts";
import type { HealthCheck } from "../../shared/model/health-check.ts";
import type { Observation } from "../../shared/model/observation.ts";
import type { Counts, Probe } from "../../shared/model/probe.ts";
import type { RecordSpec } from "../../shared/model/record.ts";
import type { Region } from "../../shared/model/region.ts";
import type { Advisory } from "../../shared/model/status.ts";
import type { UsageOfDays } from "../../shared/model/usage.ts";
import type { Merged } from "../../shared/record/merge.ts";
import type { PortRange } from "../allowed-ports.ts";
import type { Dependencies } from "./dependencies.ts";
import type { Allocation, ProbeRate } from "./place/address-rate.ts";
import type { ClusterRow, LastSeen, RecordRow, ShareRow, Store } from "./store/tables.ts";

/** The settings of the coordinator. */
export interface CoordinatorSettings {
  allowPrivate: boolean;
  edgeStaleAfterMs: number;
  /** The present setting; the number at install may differ. */
  partitions: number;
  allowedPorts: readonly PortRange[];
  /** Requests per second to one leaf, from all regions. */
  maxRequestsPerAddress: number;
  /** Whether usage is compared with the daily limits of Cloudflare's free plan; false if absent. */
  isFreePlan?: boolean;
}

/** A cluster and its shares. */
export interface Cluster extends ClusterRow {
  readonly name: string;
  /** By `namespace/name`. */
  readonly shares: Map<string, Share>;
}

export interface Share extends ShareRow {
  spec: RecordSpec;
  /** Conditions of its newest form. */
  conditions: Condition[];
}

/** One root host: the shares of all clusters, their probes, and the decision. */
export interface Root {
  readonly rootHost: string;
  /** The oldest first. */
  shares: Share[];
  merged: Merged;
  probes: Map<string, ProbeState>;
  /** The leaf of each desired probe, by probe id. Some may not be admitted: see `address-load.ts`. */
  readonly leavesByProbe: Map<string, string>;
  decision: RecordRow | undefined;
  /** Endpoints that clusters report as published, not yet part of a decision. */
  claimed: Endpoint[];
  advisories: Advisory[];
}

/** A probe that a share needs: one for each leaf. */
export interface DesiredProbe {
  id: string;
  cluster: string;
  /** `namespace/name` */
  record: string;
  leaf: string;
  check: HealthCheck;
  /** The form that is assigned to probers. */
  probe: Omit<Probe, "carried">;
  resting: Condition | undefined;
}

export interface ProbeState {
  desired: DesiredProbe;
  readonly root: Root;
  shard: ShardState;
  standing: Standing | undefined;
  assignedAt: number;
  timingEditedAt: number;
  regionStates: Map<Region, RegionState>;
  advisories: Advisory[];
  /** Its regions as of the last judgement: see `live/summary-signature.ts`. */
  summarySignature: string;
}

/** The state of one region for one probe. Only part is stored: see `regionStateRow` in `store/tables.ts`. */
export interface RegionState {
  counts: Counts;
  /** The stored counts, saturated; undefined if nothing is stored. */
  stored: Counts | undefined;
  checkedAt: number | undefined;
  succeededAt: number | undefined;
  saidAt: number;
  recent: Recent;
  /** When the check began the last entry of `recent`, Unix ms. */
  recentAt: number;
  /** When the region was last asked to recheck, Unix ms; 0 if never. */
  recheckRequestedAt: number;
  observation: Observation | undefined;
}

/** Up to 30 probes, checked by one prober in each region. */
export interface ShardState {
  readonly key: string;
  readonly intervalMs: number;
  readonly n: number;
  readonly regions: readonly Region[];
  /** Interval and set of regions: only probes of one class share a shard. */
  readonly className: string;
  /** Includes resting probes, which keep their places. */
  readonly members: Map<string, ProbeState>;
  assigned: number;
  readonly acknowledged: Map<Region, number>;
  readonly inRegions: Map<Region, ShardInRegion>;
  /** Rate limit of recheck requests: see `request-recheck.ts`. */
  recheckBudget: Budget | undefined;
}

export interface ShardInRegion {
  lastSeen: LastSeen | undefined;
  /** When the last report arrived, Unix ms. */
  heardAt: number | undefined;
  colo: string | undefined;
  lateMs: number | undefined;
  /** Whether it was assigned again since its last report. */
  isReassigned: boolean;
  isSending: boolean;
  /** Whether its prober answered the last assignment with a higher number. */
  isAhead: boolean;
}

/** A probe that a record needs, and how often it requests its leaf. */
export type AddressRequest = ProbeRate & { root: Root; seniority: number };

/** All probes of one leaf in this partition, and how often the leaf may be probed. */
export interface AddressLoad {
  readonly requests: Map<string, AddressRequest>;
  allocation: Allocation;
}

/** Progress of sending alerts to the notifier: see `alerts.ts`. */
export interface AlertDelivery {
  /** Whether an alert began or ended since the last list. */
  isChanged: boolean;
  isSending: boolean;
  /** When the newest list of the notifier was made, Unix ms. */
  at: number;
}

/** Usage of this partition's objects: see `usage.ts`. */
export interface Metering {
  days: UsageOfDays;
  /** Rows that `days` already includes, but that the meter has not reported yet. */
  foreseenRows: number;
  /**
   * When the newest counted message of each sender was sent, Unix ms. A shard in a region is named by its key, a
   * cluster by its name.
   */
  readonly counted: Map<string, number>;
  /**
   * Senders whose messages arrived since the start. Messages between the first of these and the last stored one were
   * forgotten.
   */
  readonly heard: Set<string>;
  /** Senders whose newest message is in no stored row yet. */
  readonly unstored: Set<string>;
}

/** When the coordinator started, after a restart or a gap, and when it was last active before. */
export interface Start {
  at: number;
  lastActiveAt: number | undefined;
}

/** Partition, numbering and injected parts. */
interface Base {
  readonly partition: number;
  /** Epoch of all message numbers: when this storage was created, Unix ms, unless epoch recovery raised it. */
  epoch: number;
  /** When this storage was created, Unix ms. */
  readonly createdAt: number;
  readonly store: Store;
  readonly dependencies: Dependencies;
  readonly settings: CoordinatorSettings;
  /** A newer state was loaded from storage. Work that is still under way here must not write. */
  isAbandoned: boolean;
}

/** What reports are folded into, besides the probes. */
interface FoldState {
  start: Start;
  lastActiveAt: number;
  lastSeenWrittenAt: number;
  readonly silentRegions: Map<Region, number>;
  readonly suspectRegions: Map<Region, Advisory>;
  readonly metering: Metering;
}

/** Clusters, their shares, and the decisions on their records. */
interface DecideState {
  readonly clusters: Map<string, Cluster>;
  readonly roots: Map<string, Root>;
  readonly probes: Map<string, ProbeState>;
  /** Number of shares ever seen. */
  seniority: number;
}

/** Where the probes are placed. */
interface PlaceState {
  readonly shards: Map<string, ShardState>;
  /** By leaf. */
  readonly addresses: Map<string, AddressLoad>;
  /** The highest assignment number of any pruned shard; new shards start above. */
  prunedTo: number;
}

interface DeliverState {
  /** Whether decisions may be delivered: see `bootstrap-gate.ts`. */
  isBootstrapped: boolean;
  readonly alerts: AlertDelivery;
  /** Receivers whose implausible numbers were logged: once is enough. */
  readonly loggedHolders: Set<string>;
  /** Clusters to which a delivery is under way. */
  readonly delivering: Set<Cluster>;
}

/** Changes of the current call; committing it clears them. */
interface PendingChanges {
  /** Clusters with other decisions. */
  readonly changedClusters: Set<Cluster>;
  /** Shards with other probes. */
  readonly changedShards: Set<ShardState>;
  /** Root hosts of records that look different or are gone. */
  readonly changedRoots: Set<string>;
}

/** The whole state of a coordinator, by stage. Storage is read only at a start. */
export interface CoordinatorState extends Base, FoldState, DecideState, PlaceState, DeliverState, PendingChanges {}

export const recordOf = (share: { cluster: string; record: string }) => `${share.cluster}/${share.record}`;
export const shardKey = (shard: { intervalMs: number; n: number }) => `${shard.intervalMs}/${shard.n}`;
export const inRegionKey = (shard: { intervalMs: number; n: number }, region: Region) => `${shardKey(shard)}@${region}`;
export const regionStateKey = (probe: string, region: Region) => `${probe}@${region}`;
