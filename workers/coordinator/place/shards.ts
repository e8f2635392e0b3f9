import { MAX_SHARD_PROBES, MAX_SUSPECTS } from "../../../shared/model/messages/assignment.ts";
import type { Region } from "../../../shared/model/region.ts";
import type { RecordProber } from "../../rpc.ts";
import {
  type CoordinatorState,
  type DesiredProbe,
  inRegionKey,
  type ProbeState,
  type Root,
  type ShardState,
  shardKey,
} from "../state.ts";
import { writeMeta } from "../store/meta.ts";

/**
 * A shard with room for the probe: the lowest number of its interval and region set, so that gaps are filled, or a
 * new shard. A placed probe stays where it is: placement is remembered, never computed again.
 */
export function shardFor(state: CoordinatorState, desired: DesiredProbe, nowMs: number): ShardState {
  const { intervalMs, regions } = desired.check;
  const wanted = classOf(intervalMs, regions);
  let found: ShardState | undefined;
  for (const shard of state.shards.values()) {
    if (shard.className !== wanted || (found !== undefined && found.n < shard.n)) continue;
    if (hasRoomFor(shard, desired)) found = shard;
  }
  return found ?? addShard(state, { intervalMs, regions }, nowMs);
}

function addShard(
  state: CoordinatorState,
  fixed: Pick<ShardState, "intervalMs" | "regions">,
  nowMs: number,
): ShardState {
  let n = 0;
  while (state.shards.has(shardKey({ ...fixed, n }))) n += 1;
  const key = shardKey({ ...fixed, n });
  const shard = newShard({ ...fixed, key, n }, Math.max(nowMs, state.prunedTo));
  state.shards.set(key, shard);
  return shard;
}

/** The part of the time until a verdict is stale that checks may take. Reports and late alarms need the rest. */
const CHECKING_PART = 0.8;

/**
 * Whether the probe fits into the shard. If all targets hang, a prober dials a few at once, and each takes its full
 * timeout. The last must be dialed again before its verdict is stale, or silence would publish dead addresses.
 */
export function hasRoomFor(shard: ShardState, { id, check }: DesiredProbe): boolean {
  let size = 1;
  let allMs = check.timeoutMs;
  let leastMs = check.staleAfterMs - check.intervalMs;
  for (const { desired } of shard.members.values()) {
    if (desired.id === id) continue;
    size += 1;
    allMs += desired.check.timeoutMs;
    leastMs = Math.min(leastMs, desired.check.staleAfterMs - desired.check.intervalMs);
  }
  return size === 1 || (size <= MAX_SHARD_PROBES && allMs / MAX_SUSPECTS <= leastMs * CHECKING_PART);
}

export function isOfClass(shard: ShardState, { check }: DesiredProbe): boolean {
  return shard.className === classOf(check.intervalMs, check.regions);
}

const classOf = (intervalMs: number, regions: readonly Region[]) => `${intervalMs} ${regions.join()}`;

/** Moves the probe from its shard to another. Both shards are assigned again. */
export function moveToShard(state: CoordinatorState, probe: ProbeState, shard: ShardState): void {
  leaveShard(state, probe);
  probe.shard = shard;
  shard.members.set(probe.desired.id, probe);
  state.changedShards.add(shard);
}

export function leaveShard(state: CoordinatorState, { shard, desired }: ProbeState): void {
  if (shard.members.delete(desired.id)) state.changedShards.add(shard);
}

/**
 * Creates a shard. `assigned` is the number from which its assignments count. A new shard starts at the current time,
 * which is above any count. So probers of an earlier shard with this name accept its next assignment, even if its row
 * was lost. `prunedTo` ensures the same for pruned shards, whatever the clock says.
 */
export function newShard(
  fixed: Pick<ShardState, "key" | "intervalMs" | "n" | "regions">,
  assigned: number,
): ShardState {
  const flags = { isReassigned: false, isSending: false, isAhead: false };
  const idle = { lastSeen: undefined, heardAt: undefined, colo: undefined, lateMs: undefined };
  return {
    ...fixed,
    className: classOf(fixed.intervalMs, fixed.regions),
    members: new Map(),
    assigned,
    acknowledged: new Map(),
    inRegions: new Map(fixed.regions.map((region) => [region, { ...idle, ...flags }])),
    recheckBudget: undefined,
  };
}

/**
 * Prunes empty shards once all of their probers know that they are empty. Otherwise every interval and region set
 * ever used would be kept forever. If a shard is needed again, its numbers continue above.
 */
export function pruneShards(state: CoordinatorState): void {
  for (const shard of state.shards.values()) {
    if (!isUnused(state, shard)) continue;
    state.shards.delete(shard.key);
    state.store.shards.delete(shard.key);
    for (const region of shard.regions) state.store.lastSeen.delete(inRegionKey(shard, region));
    if (shard.assigned <= state.prunedTo) continue;
    state.prunedTo = shard.assigned;
    writeMeta(state.store.sql, "prunedTo", shard.assigned);
  }
}

function isUnused({ changedShards }: CoordinatorState, shard: ShardState): boolean {
  if (shard.members.size > 0 || changedShards.has(shard)) return false;
  return shard.regions.every((region) => (shard.acknowledged.get(region) ?? 0) >= shard.assigned);
}

/**
 * The probers that check the record's probes. A prober that never acknowledged an assignment is left out: it may not
 * exist, and a first call would decide its location.
 */
export function probersOf({ partition }: CoordinatorState, root: Root): RecordProber[] {
  const byShard = Map.groupBy(root.probes.values(), ({ shard }) => shard);
  return [...byShard].flatMap(([{ intervalMs, n, regions, acknowledged }, states]) => {
    const probes = states.map(({ desired: { id, leaf } }) => ({ id, leaf })).sort((a, b) => (a.id < b.id ? -1 : 1));
    const reached = regions.filter((region) => acknowledged.has(region));
    return reached.map((region) => ({ shard: { region, partition, intervalMs, n }, probes }));
  });
}
