import type { Report } from "../../../shared/model/messages/report.ts";
import type { MessageNumber } from "../../../shared/model/number.ts";
import type { Region } from "../../../shared/model/region.ts";
import { compareNumbers } from "../../../shared/number.ts";
import { type CoordinatorState, inRegionKey, type ProbeState, type ShardInRegion, type ShardState } from "../state.ts";
import { ALL_SEEN, type LastSeen, type LastSeenRow } from "../store/tables.ts";
import { allUsageToStore, usageToStore } from "./usage.ts";

const MINUTE_MS = 60_000;
/** Cron is not exact to the second. Each heartbeat must write, but a doubled heartbeat must not. */
const WRITE_EVERY_MS = 50_000;

/**
 * Records the report of a shard in a region, in memory only: see {@link writeLastSeen} and {@link writeAllLastSeen}.
 */
export function noteLastSeen(shard: ShardState, inRegion: ShardInRegion, report: Report, nowMs: number): void {
  const roundAt = Math.min(report.roundAt, nowMs);
  inRegion.lastSeen = {
    number: notAfterNow(nowMs, report.number),
    roundAt,
    lagging: laggingIn(shard, report.shard.region, roundAt),
  };
  inRegion.heardAt = nowMs;
  inRegion.colo = report.colo ?? inRegion.colo;
  inRegion.lateMs = report.lateMs;
  inRegion.isReassigned = false;
}

/**
 * Both parts of a prober's number are times by its clock, so they are capped at the present. Otherwise, numbers from
 * a clock that was fast would outrank later reports, and the region would seem silent.
 */
function notAfterNow(nowMs: number, { epoch, n }: MessageNumber): MessageNumber {
  return { epoch: Math.min(epoch, nowMs), n: Math.min(n, nowMs) };
}

/** Members that the round did not finish checking, with the time of their last check. */
function laggingIn(shard: ShardState, region: Region, roundAt: number): Record<string, number> {
  const lagging: Record<string, number> = {};
  for (const probe of shard.members.values()) {
    const checkedAt = probe.regionStates.get(region)?.checkedAt ?? 0;
    if (checkedAt < roundAt) lagging[probe.desired.id] = checkedAt;
  }
  return lagging;
}

/**
 * Whether last-seen times are written with each report: in the first minute after a start. A mostly idle coordinator
 * sleeps between reports. If it woke without the other regions' last-seen times, it would never reach a quorum. After
 * that minute, the heartbeat writes them.
 */
export function isJustStarted({ start }: CoordinatorState, nowMs: number): boolean {
  return nowMs - start.at < MINUTE_MS;
}

export function writeLastSeen(state: CoordinatorState, shard: ShardState, region: Region, nowMs: number): void {
  const seen = shard.inRegions.get(region)?.lastSeen;
  if (seen === undefined) return;
  const key = inRegionKey(shard, region);
  state.store.lastSeen.put(key, { at: nowMs, shards: { [key]: seen }, ...usageToStore(state, key, nowMs) });
}

/** Writes one row for all shards, at most once a minute. Its time also records when the coordinator was last active. */
export function writeAllLastSeen(state: CoordinatorState, nowMs: number): void {
  if (nowMs - state.lastSeenWrittenAt < WRITE_EVERY_MS) return;
  const shards: LastSeenRow["shards"] = {};
  for (const shard of state.shards.values()) {
    for (const [region, { lastSeen }] of shard.inRegions) {
      if (lastSeen !== undefined && shard.members.size > 0) shards[inRegionKey(shard, region)] = lastSeen;
    }
  }
  state.store.lastSeen.put(ALL_SEEN, { at: nowMs, shards, ...allUsageToStore(state, nowMs) });
  state.lastSeenWrittenAt = nowMs;
}

/**
 * Restores the last report of every shard; the newer of two entries counts. Returns when the newest row was written,
 * Unix ms.
 */
export function restoreLastSeen(state: CoordinatorState, rows: ReadonlyMap<string, LastSeenRow>): number | undefined {
  const newest = new Map<string, LastSeen>();
  for (const { shards } of rows.values()) {
    for (const [key, seen] of Object.entries(shards)) {
      const other = newest.get(key);
      if (other === undefined || compareNumbers(seen.number, other.number) > 0) newest.set(key, seen);
    }
  }
  for (const shard of state.shards.values()) {
    for (const [region, inRegion] of shard.inRegions) {
      inRegion.lastSeen = newest.get(inRegionKey(shard, region));
      inRegion.heardAt = inRegion.lastSeen?.roundAt;
    }
  }
  state.lastSeenWrittenAt = rows.get(ALL_SEEN)?.at ?? 0;
  const written = [...rows.values()].map(({ at }) => at);
  return written.length === 0 ? undefined : Math.max(...written);
}

/**
 * When a region last completed a check of a probe, according to the rows; never too late. Region states are written
 * when their saturated counts change, so every later check had the same result.
 */
export function restoredCheckedAt(probe: ProbeState, region: Region, writtenAt: number): number {
  const seen = probe.shard.inRegions.get(region)?.lastSeen;
  if (seen === undefined || seen.roundAt < probe.assignedAt) return writtenAt;
  return Math.max(writtenAt, seen.lagging[probe.desired.id] ?? seen.roundAt);
}
