import { reassess } from "../../../shared/health/count.ts";
import type { Condition } from "../../../shared/model/condition.ts";
import type { Region } from "../../../shared/model/region.ts";
import { mergeShares } from "../../../shared/record/merge.ts";
import { readTree } from "../../../shared/record/tree.ts";
import { errorMessage } from "../../retry.ts";
import { judgeProbe } from "../fold/probe-verdict.ts";
import { admitted, updateAddressLoads } from "../place/address-load.ts";
import { hasRoomFor, isOfClass, leaveShard, moveToShard, shardFor } from "../place/shards.ts";
import {
  type CoordinatorState,
  type DesiredProbe,
  type ProbeState,
  type Root,
  recordOf,
  regionStateKey,
  type Share,
} from "../state.ts";
import { addEvent } from "../store/events.ts";
import { storeProbe, storeRegionState } from "../store/persist.ts";
import { decideRoot } from "./decide-record.ts";
import { desiredProbes } from "./desired-probes.ts";
import { markChanged } from "./roots.ts";

/**
 * Reconciles the probes of some records with their shares, then judges and decides. Desired minus actual gives
 * removals, creations and changes; unchanged probes are not touched. All removals come first, since a share may have
 * moved from one record to another.
 */
export function reconcile(state: CoordinatorState, roots: ReadonlySet<Root>, nowMs: number): void {
  const wishes = admittedProbes(state, roots, nowMs);
  for (const [root, desired] of wishes) {
    for (const probe of [...root.probes.values()]) {
      if (!desired.has(probe.desired.id)) removeProbe(state, probe);
    }
  }
  for (const [root, desired] of wishes) {
    if (root.shares.length === 0) removeRoot(state, root);
    else reconcileRoot(state, root, desired, nowMs);
  }
}

/** The probes to run. Includes other records for whose probes there is room now, or no longer. */
function admittedProbes(
  state: CoordinatorState,
  roots: ReadonlySet<Root>,
  nowMs: number,
): Map<Root, Map<string, DesiredProbe>> {
  const wishes = new Map([...roots].map((root) => [root, desiredWithConflictEvents(state, root, nowMs)]));
  for (const root of updateAddressLoads(state, wishes)) {
    wishes.set(root, desiredProbesOf(state, root));
    markChanged(state, root);
  }
  return new Map([...wishes].map(([root, desired]) => [root, admitted(state, root, desired)]));
}

function reconcileRoot(
  state: CoordinatorState,
  root: Root,
  desired: ReadonlyMap<string, DesiredProbe>,
  nowMs: number,
): void {
  for (const wish of desired.values()) {
    const probe = root.probes.get(wish.id);
    if (probe === undefined) createProbe(state, root, wish, nowMs);
    else if (JSON.stringify(probe.desired) !== JSON.stringify(wish)) changeProbe(state, probe, wish, nowMs);
  }
  for (const probe of root.probes.values()) judgeProbe(state, probe, nowMs);
  decideRoot(state, root, nowMs);
}

/** A new conflict is logged as an event: the condition of the share reaches only its own cluster. */
function desiredWithConflictEvents(state: CoordinatorState, root: Root, nowMs: number): Map<string, DesiredProbe> {
  const before = new Set(root.shares.filter(hasConflict).map(recordOf));
  const desired = desiredProbesOf(state, root);
  for (const share of root.shares.filter(hasConflict)) {
    if (before.has(recordOf(share))) continue;
    const { rootHost } = root;
    const message = `${recordOf(share)}: an older share of the record takes precedence`;
    addEvent(state.store.sql, { at: nowMs, type: "RecordConflict", rootHost, cluster: share.cluster, message });
  }
  return desired;
}

const hasConflict = ({ conditions }: Share) => conditions.some(({ type }) => type === "Conflict");

/** Merges the shares of the record, sets their conditions, and returns the desired probes. */
export function desiredProbesOf(state: CoordinatorState, root: Root): Map<string, DesiredProbe> {
  try {
    return mergeAndDesire(state, root);
  } catch (error) {
    // One record must not stop the others: it keeps its present probes.
    console.error({
      message: "cannot read the shares of a record",
      rootHost: root.rootHost,
      error: errorMessage(error),
    });
    return new Map([...root.probes].map(([id, { desired }]) => [id, desired]));
  }
}

function mergeAndDesire(state: CoordinatorState, root: Root): Map<string, DesiredProbe> {
  root.shares.sort((a, b) => a.seniority - b.seniority);
  root.merged = mergeShares(root.shares.map(({ spec }) => spec));
  const reading = readTree(root.merged.endpoints);
  const leaves = new Set(reading.ok ? reading.tree.leaves : []);
  const desired = new Map<string, DesiredProbe>();
  for (const [index, share] of root.shares.entries()) {
    const { probes, conditions } = desiredProbes(share, leaves, state.settings);
    for (const probe of probes) desired.set(probe.id, probe);
    const conflicts = root.merged.conflicts.filter((conflict) => conflict.share === index);
    share.conditions = [
      share.refusal ?? ACCEPTED,
      ...conditions,
      ...conflictCondition(conflicts.map(({ message }) => message)),
      ...(share.resting === undefined ? [] : [share.resting]),
    ];
  }
  return desired;
}

const ACCEPTED: Condition = { type: "Accepted", status: "True", reason: "Accepted", message: "the record is in force" };
const MAX_CONFLICTS_NAMED = 5;

function conflictCondition(messages: readonly string[]): Condition[] {
  if (messages.length === 0) return [];
  const message = messages.slice(0, MAX_CONFLICTS_NAMED).join("; ");
  return [{ type: "Conflict", status: "True", reason: "OlderShareHolds", message }];
}

export function createProbe(state: CoordinatorState, root: Root, desired: DesiredProbe, nowMs: number): void {
  const shard = shardFor(state, desired, nowMs);
  const probe: ProbeState = {
    desired,
    root,
    shard,
    standing: undefined,
    assignedAt: nowMs,
    timingEditedAt: nowMs,
    regionStates: new Map(),
    advisories: [],
    summarySignature: "",
  };
  root.probes.set(desired.id, probe);
  state.probes.set(desired.id, probe);
  moveToShard(state, probe, shard);
}

/** Applies an edit. Counts, verdict and placement are kept if they are still valid for the edited probe. */
function changeProbe(state: CoordinatorState, probe: ProbeState, desired: DesiredProbe, nowMs: number): void {
  const before = probe.desired;
  probe.desired = desired;
  if (before.probe.revision !== desired.probe.revision) {
    probe.standing = undefined;
    probe.assignedAt = nowMs;
    deleteRegionStates(state, probe, () => true);
  }
  if (before.resting !== undefined && desired.resting === undefined) probe.assignedAt = nowMs;
  const isRetimed = timingOf(before) !== timingOf(desired);
  if (isRetimed) probe.timingEditedAt = nowMs;
  if (!isOfClass(probe.shard, desired) || (isRetimed && !hasRoomFor(probe.shard, desired))) {
    moveToShard(state, probe, shardFor(state, desired, nowMs));
    probe.assignedAt = nowMs;
    deleteRegionStates(state, probe, (region) => !desired.check.regions.includes(region));
  }
  for (const [region, regionState] of probe.regionStates) {
    regionState.counts = reassess(regionState.counts, desired.check);
    storeRegionState(state, probe, region, regionState);
  }
  if (assignedForm(before) !== assignedForm(desired)) state.changedShards.add(probe.shard);
  storeProbe(state, probe);
}

const timingOf = ({ check }: DesiredProbe) => [check.intervalMs, check.timeoutMs, check.staleAfterMs].join();

/** The form that is assigned to a prober: the probe, or null while it rests. */
const assignedForm = ({ probe, resting }: DesiredProbe) => JSON.stringify(resting === undefined ? probe : null);

function deleteRegionStates(
  state: CoordinatorState,
  probe: ProbeState,
  isForgotten: (region: Region) => boolean,
): void {
  for (const region of [...probe.regionStates.keys()]) {
    if (!isForgotten(region)) continue;
    probe.regionStates.delete(region);
    state.store.regionStates.delete(regionStateKey(probe.desired.id, region));
  }
}

function removeProbe(state: CoordinatorState, probe: ProbeState): void {
  leaveShard(state, probe);
  deleteRegionStates(state, probe, () => true);
  probe.root.probes.delete(probe.desired.id);
  state.probes.delete(probe.desired.id);
  state.store.probes.delete(probe.desired.id);
}

function removeRoot(state: CoordinatorState, root: Root): void {
  state.roots.delete(root.rootHost);
  state.changedRoots.add(root.rootHost);
  state.alerts.isChanged = true;
  state.store.records.delete(root.rootHost);
}
