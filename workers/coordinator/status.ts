import { consecutiveFailures } from "../../shared/health/verdict.ts";
import type { RecordSummary } from "../../shared/model/overview.ts";
import type { RecordDetail } from "../../shared/model/record-detail.ts";
import { REGIONS, type Region } from "../../shared/model/region.ts";
import type { RegionView } from "../../shared/model/region-view.ts";
import type { ProbeStatus, RecordStatus, RegionStatus } from "../../shared/model/status.ts";
import { summaryOf } from "../../shared/record/summary.ts";
import { policyOf, regionVerdictsOf } from "./fold/region-state.ts";
import { isOverdue } from "./place/overdue-shards.ts";
import type { CoordinatorState, ProbeState, Root, ShardState } from "./state.ts";

/* The statuses that may be shown, built field by field. They never contain sealed headers or the spec itself. */

/**
 * A message between objects has at most 32 MiB. Observations are the largest part, above all in a large outage, when
 * decisions must still get through. So beyond this number of region states, observations are left out. The longest
 * observation has two messages: the failure, and the certificate fault that was tolerated.
 */
const MAX_STATES_WITH_OBSERVATIONS = 15_000;

/** Builds the status of one of several records; a bare status has no observations. */
type StatusOf = (state: CoordinatorState, root: Root, isBare: boolean, nowMs: number) => RecordStatus;

/**
 * The statuses of several records, sorted by root host. If there are too many, they have no observations; a single
 * record has them.
 */
export function recordStatuses(
  state: CoordinatorState,
  roots: Iterable<Root>,
  nowMs: number,
  statusOf: StatusOf = listedStatus,
): RecordStatus[] {
  const sorted = [...roots].sort((a, b) => (a.rootHost < b.rootHost ? -1 : 1));
  const probes = sorted.flatMap((root) => [...root.probes.values()]);
  const regionStates = probes.reduce((sum, { desired }) => sum + desired.check.regions.length, 0);
  return sorted.map((root) => statusOf(state, root, regionStates > MAX_STATES_WITH_OBSERVATIONS, nowMs));
}

export function listedStatus(state: CoordinatorState, root: Root, isBare: boolean, nowMs: number): RecordStatus {
  const status = recordStatus(state, root, nowMs);
  return isBare ? withoutObservations(status) : status;
}

function withoutObservations(record: RecordStatus): RecordStatus {
  const withoutThem = ({ observation: _, ...region }: RegionStatus) => region;
  return { ...record, probes: record.probes.map((probe) => ({ ...probe, regions: probe.regions.map(withoutThem) })) };
}

/** A record in full, for people. */
export function recordDetail(state: CoordinatorState, root: Root, nowMs: number): RecordDetail {
  const { endpoints: wanted, minPublished } = root.merged;
  return { ...recordStatus(state, root, nowMs), wanted, minPublished };
}

/** Summaries of some records; `removed` are the records that no longer exist. */
export function summariesOf(state: CoordinatorState, rootHosts: Iterable<string>, nowMs: number) {
  const records: RecordSummary[] = [];
  const removed: string[] = [];
  for (const rootHost of rootHosts) {
    const root = state.roots.get(rootHost);
    if (root === undefined) removed.push(rootHost);
    else records.push(summaryOf(recordStatus(state, root, nowMs)));
  }
  return { records, removed };
}

export function recordStatus(state: CoordinatorState, root: Root, nowMs: number): RecordStatus {
  return {
    rootHost: root.rootHost,
    shares: root.shares.map(({ cluster, record, generation, conditions }) => ({
      cluster,
      record,
      ...(generation !== undefined && { generation }),
      conditions,
    })),
    whenSilent: root.merged.whenSilent,
    endpoints: root.decision?.endpoints ?? [],
    leaves: root.decision?.leaves ?? [],
    probes: [...root.probes.values()]
      .sort((a, b) => (a.desired.id < b.desired.id ? -1 : 1))
      .map((probe) => probeStatus(state, probe, nowMs)),
    advisories: [...root.advisories, ...suspectsOf(state, root)],
    decidedAt: root.decision?.decidedAt ?? 0,
  };
}

function suspectsOf(state: CoordinatorState, root: Root) {
  const regions = new Set([...root.probes.values()].flatMap(({ desired }) => desired.check.regions));
  return [...state.suspectRegions].filter(([region]) => regions.has(region)).map(([, advisory]) => advisory);
}

export function probeStatus(state: CoordinatorState, probe: ProbeState, nowMs: number): ProbeStatus {
  const { desired, standing } = probe;
  const policy = policyOf(probe);
  const verdicts = regionVerdictsOf(state, probe, nowMs);
  return {
    id: desired.id,
    cluster: desired.cluster,
    record: desired.record,
    leaf: desired.leaf,
    verdict: standing?.verdict ?? "Pending",
    since: standing?.since ?? probe.assignedAt,
    ...(standing?.provenAt !== undefined && { provenAt: standing.provenAt }),
    consecutiveFailures: consecutiveFailures(verdicts, policy.quorum),
    failureThreshold: policy.failureThreshold,
    successThreshold: policy.successThreshold,
    quorum: policy.quorum,
    regions: verdicts.map(({ region, freshness, counts }) =>
      regionStatus(probe, region, { region, freshness, counts }),
    ),
    advisories: probe.advisories,
    ...(desired.resting !== undefined && { resting: desired.resting }),
  };
}

function regionStatus(probe: ProbeState, region: Region, verdict: RegionStatus): RegionStatus {
  const regionState = probe.regionStates.get(region);
  const colo = probe.shard.inRegions.get(region)?.colo;
  return {
    ...verdict,
    ...(regionState?.checkedAt !== undefined && { checkedAt: regionState.checkedAt }),
    ...(colo !== undefined && { colo }),
    ...(regionState?.observation !== undefined && { observation: regionState.observation }),
  };
}

/** The state of each region that probes anything. */
export function regionViews(state: CoordinatorState, nowMs: number): RegionView[] {
  const shards = [...state.shards.values()].filter(({ members }) => members.size > 0);
  return REGIONS.flatMap((region) => {
    const here = shards.filter(({ inRegions }) => inRegions.has(region));
    return here.length === 0 ? [] : [regionView(state, region, here, nowMs)];
  });
}

function regionView(state: CoordinatorState, region: Region, shards: readonly ShardState[], nowMs: number): RegionView {
  const places = shards.flatMap(({ inRegions }) => inRegions.get(region) ?? []);
  const heardAt = Math.max(0, ...places.map((place) => place.heardAt ?? 0));
  const lateMs = places.flatMap((place) => place.lateMs ?? []);
  return {
    region,
    shards: shards.length,
    silentShards: shards.filter((shard) => isOverdue(state, shard, region, nowMs)).length,
    probes: shards.reduce((sum, { members }) => sum + members.size, 0),
    colos: [...new Set(places.flatMap(({ colo }) => colo ?? []))].sort(),
    ...(heardAt > 0 && { lastReportAt: heardAt }),
    ...(lateMs.length > 0 && { lateMs: Math.max(...lateMs) }),
    suspect: state.suspectRegions.has(region),
  };
}
