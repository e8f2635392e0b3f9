import type { Budget } from "../../shared/budget.ts";
import { NO_COUNTS } from "../../shared/health/count.ts";
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
import type { AddressLoad } from "./place/address-load.ts";
import type { ClusterRow, LastSeen, RecordRow, ShareRow, Store } from "./store/tables.ts";

/** The settings that the coordinator goes by. */
export interface CoordinatorSettings {
  allowPrivate: boolean;
  edgeStaleAfterMs: number;
  /** As it is set now. */
  partitions: number;
  allowedPorts: readonly PortRange[];
  /** Requests a second to one leaf, from all regions. */
  maxRequestsPerAddress: number;
  /** Use is held against the daily limits of Cloudflare's free plan; absent for no. */
  isFreePlan?: boolean;
}

/** A cluster, with the shares that it has sent. */
export interface Cluster extends ClusterRow {
  readonly name: string;
  /** By `namespace/name`. */
  readonly shares: Map<string, Share>;
}

export interface Share extends ShareRow {
  spec: RecordSpec;
  /** What became of its newest form. */
  conditions: Condition[];
}

/** One root host: all clusters' shares of it, their probes, and what was decided. */
export interface Root {
  readonly rootHost: string;
  /** The oldest first. */
  shares: Share[];
  merged: Merged;
  probes: Map<string, ProbeState>;
  /** The leaves of all probes that it wishes for, by the probes' ids; some may find no room: see `address-load.ts`. */
  readonly leavesByProbe: Map<string, string>;
  decision: RecordRow | undefined;
  /** What clusters say is in DNS, not yet part of a decision. */
  claimed: Endpoint[];
  advisories: Advisory[];
}

/** What a share wants watched: one leaf of it. */
export interface DesiredProbe {
  id: string;
  cluster: string;
  /** `namespace/name` */
  record: string;
  leaf: string;
  check: HealthCheck;
  /** As a prober is given it. */
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
  /** What its regions say, as it was last looked at: see `live/summary-signature.ts`. */
  summarySignature: string;
}

/** What one region says of one probe. Only the class of it is stored; see `store/tables.ts`. */
export interface RegionState {
  counts: Counts;
  /** As stored, saturated; undefined where nothing is. */
  stored: Counts | undefined;
  checkedAt: number | undefined;
  succeededAt: number | undefined;
  saidAt: number;
  recent: Recent;
  /** When the check was that began the last entry of `recent`, Unix ms. */
  recentAt: number;
  /** When it was asked last to look at once, Unix ms; 0 where it was not. */
  recheckRequestedAt: number;
  observation: Observation | undefined;
}

/** Up to 30 probes that one prober in each of the regions asks. */
export interface ShardState {
  readonly key: string;
  readonly intervalMs: number;
  readonly n: number;
  readonly regions: readonly Region[];
  /** Interval and set of regions: only probes of one class share a shard. */
  readonly className: string;
  /** Resting probes keep their places. */
  readonly members: Map<string, ProbeState>;
  assigned: number;
  readonly acknowledged: Map<Region, number>;
  readonly inRegions: Map<Region, ShardInRegion>;
  /** Of asking other regions to look at once: see `request-recheck.ts`. */
  recheckBudget: Budget | undefined;
}

export interface ShardInRegion {
  lastSeen: LastSeen | undefined;
  /** When the coordinator heard of it last, Unix ms. */
  heardAt: number | undefined;
  colo: string | undefined;
  lateMs: number | undefined;
  /** Since it was last heard of. */
  isReassigned: boolean;
  isSending: boolean;
  /** Its prober answered the last assignment with a number above. */
  isAhead: boolean;
}

/** How the notifier is told of what is wrong: see `alerts.ts`. */
export interface AlertDelivery {
  /** Something began or ended that it was not told yet. */
  isChanged: boolean;
  isSending: boolean;
  /** When the newest list was made that it has, Unix ms. */
  at: number;
}

/** What this partition's objects use: see `usage.ts`. */
export interface Metering {
  days: UsageOfDays;
  /** Rows of the coordinator's own that are in there already, before it has counted them. */
  foreseenRows: number;
  /** When the newest word was said that is in there, Unix ms: a round of a shard in a region by their key, a contact by its cluster. */
  readonly counted: Map<string, number>;
  /** Of those, who was heard by this memory. Between its first word and the one before lie those that the last memory forgot. */
  readonly heard: Set<string>;
  /** Of those, whose newest word is neither in a row of its own yet nor in that of all. */
  readonly unstored: Set<string>;
}

/** When the coordinator began to listen, after a restart or a gap, and until when it had listened before. */
export interface Start {
  at: number;
  lastActiveAt: number | undefined;
}

/** What the coordinator knows. Everything needed to judge is here; storage is only read at the start. */
export interface CoordinatorState {
  readonly partition: number;
  /** Of all numbers that it gives out: when this storage was created, Unix ms, unless it had to go past another one. */
  epoch: number;
  /** When this storage was created, Unix ms. */
  readonly createdAt: number;
  readonly store: Store;
  readonly dependencies: Dependencies;
  readonly settings: CoordinatorSettings;
  start: Start;
  lastActiveAt: number;
  lastSeenWrittenAt: number;
  isBootstrapped: boolean;
  seniority: number;
  /** The highest number of a shard that was forgotten: those of new ones are above. */
  prunedTo: number;
  readonly clusters: Map<string, Cluster>;
  readonly roots: Map<string, Root>;
  readonly probes: Map<string, ProbeState>;
  readonly shards: Map<string, ShardState>;
  /** By leaf. */
  readonly addresses: Map<string, AddressLoad>;
  readonly silentRegions: Map<Region, number>;
  readonly suspectRegions: Map<Region, Advisory>;
  /** What the call at hand has changed: clusters whose decisions are others now, and shards with other probes. */
  readonly changedClusters: Set<Cluster>;
  readonly changedShards: Set<ShardState>;
  /** Root hosts of the records that the call has made look other to those who watch, or that are no more. */
  readonly changedRoots: Set<string>;
  readonly alerts: AlertDelivery;
  readonly metering: Metering;
  /** Whose numbers were told of as nonsense: once is enough. */
  readonly loggedHolders: Set<string>;
  /** Clusters that are just being handed theirs. */
  readonly delivering: Set<Cluster>;
  /** Another state was read from storage in place of this one: what is still under way here must write nothing. */
  isAbandoned: boolean;
}

export const recordOf = (share: { cluster: string; record: string }) => `${share.cluster}/${share.record}`;
export const shardKey = (shard: { intervalMs: number; n: number }) => `${shard.intervalMs}/${shard.n}`;
export const inRegionKey = (shard: { intervalMs: number; n: number }, region: Region) => `${shardKey(shard)}@${region}`;
export const regionStateKey = (probe: string, region: Region) => `${probe}@${region}`;

/** A region that has said nothing of a probe yet. */
export function emptyRegionState(nowMs: number): RegionState {
  return {
    counts: NO_COUNTS,
    stored: undefined,
    checkedAt: undefined,
    succeededAt: undefined,
    saidAt: nowMs,
    recent: [],
    recentAt: 0,
    recheckRequestedAt: 0,
    observation: undefined,
  };
}
