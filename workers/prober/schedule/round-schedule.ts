import { hash32 } from "../../../shared/hash.ts";
import type { Shard } from "../../../shared/model/messages/assignment.ts";

const HASHES = 2 ** 32;

/**
 * Where in its interval a shard's round begins, in milliseconds (docs/design/prober.md). The spread comes from the shard's name
 * without the region, so that the regions of one shard stand evenly apart.
 */
export function phaseMs(shard: Shard): number {
  const spreadMs = (hash32(`${shard.partition}/${shard.intervalMs}/${shard.n}`) / HASHES) * shard.intervalMs;
  const regions = [...shard.regions].sort();
  const place = Math.max(0, regions.indexOf(shard.region));
  return Math.floor(spreadMs + (place * shard.intervalMs) / regions.length) % shard.intervalMs;
}

/** The first round of the shard that is due after the given time (both Unix ms). */
export function nextRoundAt(afterMs: number, shard: Shard): number {
  const phase = phaseMs(shard);
  return (Math.floor((afterMs - phase) / shard.intervalMs) + 1) * shard.intervalMs + phase;
}

/** The first round of the shard that is due at the given time, or after it (both Unix ms). */
export const roundFrom = (fromMs: number, shard: Shard): number => nextRoundAt(fromMs - 1, shard);

/** The last round of the shard that was due by then (both Unix ms). */
export const lastRoundAt = (atMs: number, shard: Shard): number => nextRoundAt(atMs, shard) - shard.intervalMs;

/**
 * The round that follows one which begins now. An alarm that the platform fires a moment early belongs to the round it
 * was set for; without the tolerance that round would run twice.
 */
export function roundAfter(nowMs: number, shard: Shard): number {
  return nextRoundAt(nowMs + Math.min(shard.intervalMs / 4, EARLY_MS), shard);
}
const EARLY_MS = 250;

const OVERDUE_MS = 5_000;

/**
 * Whether an alarm must be set. It may be missing. It may be overdue (platform: such alarms stay unfired). Or it is further away
 * than a round can be, by a clock that was put back.
 */
export function isAlarmAbsent(alarmAtMs: number | null, nowMs: number, intervalMs: number): boolean {
  if (alarmAtMs === null) return true;
  return alarmAtMs < nowMs - OVERDUE_MS || alarmAtMs > nowMs + intervalMs + OVERDUE_MS;
}
