import { reassess } from "../../../shared/health/count.ts";
import { isSameTurn, remember } from "../../../shared/health/flapping.ts";
import { hasBegunToDiffer } from "../../../shared/health/look-now.ts";
import type { Assignment } from "../../../shared/model/messages/assignment.ts";
import type { ProbeReport, Report } from "../../../shared/model/messages/report.ts";
import type { Region } from "../../../shared/model/region.ts";
import { compareNumbers, isNewer, NO_NUMBER } from "../../../shared/number.ts";
import { outcomeOf } from "../../../shared/reason.ts";
import { decideRoot } from "../decide/decide-record.ts";
import { recoverAssignmentNumber } from "../epoch-recovery.ts";
import { assignmentFor } from "../place/assignments.ts";
import {
  type CoordinatorState,
  type ProbeState,
  type RegionState,
  type Root,
  type ShardState,
  shardKey,
} from "../state.ts";
import { storeRegionState } from "../store/persist.ts";
import { forgetTold } from "../told.ts";
import { isJustStarted, noteLastSeen, writeLastSeen } from "./last-seen.ts";
import { judgeProbe } from "./probe-verdict.ts";
import { emptyRegionState } from "./region-state.ts";
import { type Difference, requestRechecks } from "./request-recheck.ts";
import { noteProber } from "./usage.ts";

/**
 * Folds a round's report into verdicts and decisions. Returns the newer assignment if the prober has an older one.
 * Older reports, and entries for probes that are not in the shard or have another revision, are ignored.
 */
export function receiveReport(state: CoordinatorState, report: Report, nowMs: number): Assignment | undefined {
  const { region } = report.shard;
  const shard = state.shards.get(shardKey(report.shard));
  const inRegion = shard?.inRegions.get(region);
  recoverAssignmentNumber(state, shard, { held: report.assignment, ...report.shard }, nowMs);
  if (shard === undefined || inRegion === undefined) return emptyAssignmentForUnknownShard(state, report);
  if (isNewer(report.number, inRegion.lastSeen?.number ?? NO_NUMBER)) {
    noteProber(state, report, nowMs);
    fold(state, shard, report, nowMs);
  }
  acknowledge(state, shard, report);
  const assigned = { epoch: state.epoch, n: shard.assigned };
  return isNewer(assigned, report.assignment) ? assignmentFor(state, shard, region) : undefined;
}

function fold(state: CoordinatorState, shard: ShardState, report: Report, nowMs: number): void {
  const { region } = report.shard;
  const inRegion = shard.inRegions.get(region);
  if (inRegion === undefined) return;
  const changedVerdicts = new Set<Root>();
  const differing: Difference[] = [];
  let hasWritten = false;
  for (const entry of report.probes) {
    const probe = shard.members.get(entry.id);
    if (probe === undefined || probe.desired.probe.revision !== entry.revision) continue;
    const { before, hasStored, hasNewVerdict } = foldProbe(state, probe, region, entry, nowMs);
    hasWritten ||= hasStored;
    if (hasNewVerdict) changedVerdicts.add(probe.root);
    const after = probe.regionStates.get(region)?.counts ?? before;
    if (hasBegunToDiffer(before, after)) differing.push({ probe, said: before.says });
  }
  noteLastSeen(shard, inRegion, report, nowMs);
  if (hasWritten || isJustStarted(state, nowMs)) writeLastSeen(state, shard, region, nowMs);
  for (const root of changedVerdicts) decideRoot(state, root, nowMs);
  requestRechecks(state, shard, region, differing, nowMs);
}

function foldProbe(state: CoordinatorState, probe: ProbeState, region: Region, entry: ProbeReport, nowMs: number) {
  const regionState = probe.regionStates.get(region) ?? emptyRegionState(nowMs);
  probe.regionStates.set(region, regionState);
  const before = regionState.counts;
  updateRegionState(regionState, probe, entry, nowMs);
  const hasStored = storeRegionState(state, probe, region, regionState);
  if (hasStored) forgetTold(probe.root);
  const hasNewVerdict = judgeProbe(state, probe, nowMs) || regionState.counts.says !== before.says;
  return { before, hasStored, hasNewVerdict };
}

/** An entry without a completed check changes nothing: the prober may have lost its storage, and its counts with it. */
function updateRegionState(regionState: RegionState, { desired }: ProbeState, entry: ProbeReport, nowMs: number): void {
  if (entry.observation !== undefined) regionState.observation = entry.observation;
  if (entry.checkedAt === undefined) return;
  const checkedAt = Math.min(entry.checkedAt, nowMs);
  const counts = reassess(entry.counts, desired.check);
  if (counts.says !== regionState.counts.says) regionState.saidAt = checkedAt;
  if (counts.successes > 0) regionState.succeededAt = checkedAt;
  if (entry.observation !== undefined && checkedAt > (regionState.checkedAt ?? 0)) {
    const ofSameTurn = isSameTurn(regionState.recentAt, checkedAt, desired.check.intervalMs);
    regionState.recent = remember(regionState.recent, outcomeOf(entry.observation.reason), counts.says, ofSameTurn);
    if (!ofSameTurn) regionState.recentAt = checkedAt;
  }
  regionState.counts = counts;
  regionState.checkedAt = checkedAt;
}

/** A prober that works under the newest assignment has it, even if its acknowledgement was lost. */
function acknowledge(state: CoordinatorState, shard: ShardState, { shard: { region }, assignment }: Report): void {
  if (assignment.epoch !== state.epoch) return;
  shard.acknowledged.set(region, Math.max(assignment.n, shard.acknowledged.get(region) ?? 0));
}

/**
 * An empty assignment, which stops a prober whose shard is unknown here, for example because the storage was lost. It
 * is sent only after the clusters had time to send their shares: until then, the counts may be of use.
 */
function emptyAssignmentForUnknownShard(state: CoordinatorState, report: Report): Assignment | undefined {
  if (!state.isBootstrapped || report.probes.length === 0) return undefined;
  const newest = compareNumbers(report.assignment, { epoch: state.epoch, n: 0 });
  const number =
    newest < 0 ? { epoch: state.epoch, n: 0 } : { epoch: report.assignment.epoch, n: report.assignment.n + 1 };
  return { version: 1, shard: report.shard, number, probes: [] };
}
