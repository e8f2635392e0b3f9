import { REGIONS } from "../../../shared/model/region.ts";
import { NO_NUMBER } from "../../../shared/number.ts";
import { keptLast } from "../../../shared/record/kept-last.ts";
import { createProbe, desiredProbesOf } from "../decide/reconcile.ts";
import { rootFor } from "../decide/roots.ts";
import type { Dependencies } from "../dependencies.ts";
import { restoredCheckedAt, restoreLastSeen } from "../fold/last-seen.ts";
import { updateAdvisories } from "../fold/probe-verdict.ts";
import { emptyRegionState, regionVerdictsOf } from "../fold/region-state.ts";
import { newMetering, restoreUsage } from "../fold/usage.ts";
import { updateSuspects } from "../fold/watch-regions.ts";
import { summarySignature } from "../live/summary-signature.ts";
import { admitted, updateAddressLoads } from "../place/address-load.ts";
import { isOfClass, newShard } from "../place/shards.ts";
import {
  type Cluster,
  type CoordinatorSettings,
  type CoordinatorState,
  type DesiredProbe,
  type ProbeState,
  type Root,
  regionStateKey,
} from "../state.ts";
import { addEvent } from "./events.ts";
import type { BadRow } from "./json-table.ts";
import { readMeta } from "./meta.ts";
import { storeCluster } from "./persist.ts";
import type { ProbeRow, RegionStateRow, Store } from "./tables.ts";

/** Rows that could not be read. */
class BadRows {
  readonly #found: BadRow[] = [];

  readonly add = (bad: BadRow): void => {
    this.#found.push(bad);
  };

  keys(table: string): string[] {
    return this.all().flatMap((bad) => (bad.table === table ? [bad.key] : []));
  }

  all(): readonly BadRow[] {
    return this.#found;
  }
}

/**
 * Loads the whole state from storage. A row that cannot be read is skipped and reported. Its cluster sends its
 * content again, or it is counted again.
 */
export function loadState(store: Store, dependencies: Dependencies, settings: CoordinatorSettings): CoordinatorState {
  const nowMs = dependencies.now();
  const state = emptyState(store, dependencies, settings, nowMs);
  const bad = new BadRows();
  loadClusters(state, bad, nowMs);
  loadShares(state, bad, nowMs);
  loadShards(state, bad);
  const seen = store.lastSeen.readAll(bad.add);
  state.start.lastActiveAt = restoreLastSeen(state, seen);
  restoreUsage(state, seen);
  for (const [region, { silentSince }] of store.regions.readAll(bad.add)) {
    const known = REGIONS.find((name) => name === region);
    if (known !== undefined) state.silentRegions.set(known, silentSince);
  }
  loadRecords(state, bad);
  loadProbes(state, bad, nowMs);
  for (const row of bad.all()) reportBadRow(state, row, nowMs);
  for (const probe of state.probes.values()) {
    updateAdvisories(state, probe, nowMs);
    // The signature as of the last activity: a verdict that went stale since is reported when it is judged.
    probe.summarySignature = summarySignature(probe, regionVerdictsOf(state, probe, state.start.lastActiveAt ?? nowMs));
  }
  updateSuspects(state);
  state.changedClusters.clear();
  state.changedRoots.clear();
  return state;
}

function emptyState(
  store: Store,
  dependencies: Dependencies,
  settings: CoordinatorSettings,
  nowMs: number,
): CoordinatorState {
  const epoch = readMeta(store.sql, "epoch") ?? nowMs;
  return {
    partition: readMeta(store.sql, "partition") ?? 0,
    epoch,
    createdAt: readMeta(store.sql, "createdAt") ?? epoch,
    store,
    dependencies,
    settings,
    start: { at: nowMs, lastActiveAt: undefined },
    lastActiveAt: nowMs,
    lastSeenWrittenAt: 0,
    isBootstrapped: readMeta(store.sql, "gathered") === 1,
    seniority: readMeta(store.sql, "seniority") ?? nowMs,
    prunedTo: readMeta(store.sql, "prunedTo") ?? 0,
    clusters: new Map(),
    roots: new Map(),
    probes: new Map(),
    shards: new Map(),
    addresses: new Map(),
    silentRegions: new Map(),
    suspectRegions: new Map(),
    changedClusters: new Set(),
    changedShards: new Set(),
    changedRoots: new Set(),
    alerts: { isChanged: false, isSending: false, at: 0 },
    metering: newMetering(nowMs),
    loggedHolders: new Set(),
    delivering: new Set(),
    isAbandoned: false,
  };
}

function reportBadRow({ store }: CoordinatorState, bad: BadRow, nowMs: number): void {
  console.error({ message: "a stored row could not be read and was dropped", ...bad });
  const message = `the stored row ${bad.table} ${bad.key} could not be read and was dropped: ${bad.rule}`;
  addEvent(store.sql, { at: nowMs, type: "RecordRefused", message });
}

function loadClusters(state: CoordinatorState, bad: BadRows, nowMs: number): void {
  for (const [name, row] of state.store.clusters.readAll(bad.add)) {
    state.clusters.set(name, { ...row, name, shares: new Map() });
  }
  for (const name of bad.keys("clusters")) addLostCluster(state, name, nowMs);
}

/** The count of its decisions is lost. The current time is above any count, so the cluster accepts the next number. */
function addLostCluster(state: CoordinatorState, name: string, nowMs: number): Cluster {
  const row = { knownAt: nowMs, sharesNumber: NO_NUMBER, hasPublished: false, decided: nowMs, handed: nowMs - 1 };
  const cluster: Cluster = { ...row, name, shares: new Map(), damagedAt: nowMs };
  state.clusters.set(name, cluster);
  storeCluster(state, cluster);
  return cluster;
}

/** A cluster with a lost share must send its shares again. Until then, nothing is delivered. */
function loadShares(state: CoordinatorState, bad: BadRows, nowMs: number): void {
  for (const row of state.store.shares.readAll(bad.add).values()) {
    const cluster = state.clusters.get(row.cluster) ?? addLostCluster(state, row.cluster, nowMs);
    const share = { ...row, conditions: [] };
    cluster.shares.set(row.record, share);
    rootFor(state, share).shares.push(share);
    state.seniority = Math.max(state.seniority, row.seniority);
  }
  for (const key of bad.keys("shares")) {
    const cluster = state.clusters.get(key.split("/", 1)[0] ?? key);
    if (cluster === undefined) continue;
    cluster.damagedAt = nowMs;
    cluster.sharesNumber = NO_NUMBER;
    storeCluster(state, cluster);
  }
}

function loadShards(state: CoordinatorState, bad: BadRows): void {
  for (const [key, { intervalMs, n, regions, assigned, acknowledged }] of state.store.shards.readAll(bad.add)) {
    const shard = newShard({ key, intervalMs, n, regions }, assigned);
    for (const region of regions) shard.acknowledged.set(region, acknowledged[region] ?? 0);
    state.shards.set(key, shard);
  }
}

/** A record with a lost decision starts with all of its leaves, so that a loss never causes NXDOMAIN. */
function loadRecords(state: CoordinatorState, bad: BadRows): void {
  const rows = state.store.records.readAll(bad.add);
  const lost = new Set(bad.keys("records"));
  for (const root of state.roots.values()) {
    root.decision = rows.get(root.rootHost);
    root.advisories = keptLast(root.decision?.leaves ?? []);
    if (root.decision === undefined || lost.has(root.rootHost)) {
      root.claimed = root.shares.flatMap(({ spec }) => spec.endpoints);
    }
  }
  for (const rootHost of rows.keys()) {
    if (!state.roots.has(rootHost)) state.store.records.delete(rootHost);
  }
}

function loadProbes(state: CoordinatorState, bad: BadRows, nowMs: number): void {
  const probes = state.store.probes.readAll(bad.add);
  const regionStates = state.store.regionStates.readAll(bad.add);
  const wishes = new Map([...state.roots.values()].map((root) => [root, desiredProbesOf(state, root)]));
  updateAddressLoads(state, wishes);
  for (const [root, wished] of wishes) {
    for (const desired of admitted(state, root, wished).values()) {
      const row = probes.get(desired.id);
      const probe = row === undefined ? undefined : restore(state, root, desired, row);
      if (probe === undefined) createProbe(state, root, desired, nowMs);
      else restoreRegionStates(probe, regionStates);
      probes.delete(desired.id);
    }
  }
  for (const id of probes.keys()) state.store.probes.delete(id);
  for (const key of regionStates.keys()) {
    if (!state.probes.has(key.slice(0, key.lastIndexOf("@")))) state.store.regionStates.delete(key);
  }
}

/**
 * Returns undefined if the row does not match the desired probe, because this release may read a share differently than
 * the one before.
 */
function restore(state: CoordinatorState, root: Root, desired: DesiredProbe, row: ProbeRow): ProbeState | undefined {
  const shard = state.shards.get(row.shard);
  if (shard === undefined || !isOfClass(shard, desired) || row.revision !== desired.probe.revision) return undefined;
  const { standing: stored, assignedAt, timingEditedAt } = row;
  const provenAt = stored?.provenAt;
  const probe: ProbeState = {
    desired,
    root,
    shard,
    standing:
      stored === undefined
        ? undefined
        : { verdict: stored.verdict, since: stored.since, ...(provenAt !== undefined && { provenAt }) },
    assignedAt,
    timingEditedAt,
    regionStates: new Map(),
    advisories: [],
    summarySignature: "",
  };
  shard.members.set(desired.id, probe);
  root.probes.set(desired.id, probe);
  state.probes.set(desired.id, probe);
  return probe;
}

function restoreRegionStates(probe: ProbeState, rows: ReadonlyMap<string, RegionStateRow>): void {
  for (const region of probe.desired.check.regions) {
    const row = rows.get(regionStateKey(probe.desired.id, region));
    if (row === undefined) continue;
    const { counts, saidAt } = row;
    const checkedAt = restoredCheckedAt(probe, region, row.checkedAt);
    // Later checks had the same result, so they succeeded if the stored counts say so.
    const succeededAt = counts.successes > 0 ? checkedAt : row.succeededAt;
    probe.regionStates.set(region, {
      ...emptyRegionState(saidAt),
      counts,
      stored: counts,
      checkedAt,
      succeededAt,
      saidAt,
    });
  }
}
