import type { Region } from "../../shared/model/region.ts";
import { NO_USAGE, type Usage, type UsageOfDays, type UsageSince } from "../../shared/model/usage.ts";
import { route53Usd } from "../../shared/price/prices.ts";
import { addUsage, newTally, totalOf, turned } from "../../shared/usage/tally.ts";
import type { PartitionUsage } from "../rpc.ts";
import type { SeenRow } from "./store/seen.ts";
import type { World } from "./world.ts";

/*
 * What the partition's objects use, by UTC day: each tells it with what it says anyway, and it is stored in the rows of what was seen, which
 * are written anyway.
 */

/** A row of what was seen that is there already; the first of its key costs one more. */
const ROW: Usage = { ...NO_USAGE, rowsWritten: 1 };

/** The way of a report and of its answer; more is a clock that is wrong. */
const MAX_WAY_MS = 5_000;

type Stored = SeenRow & { usage: UsageOfDays };

/** The days as last stored; two rows of one moment are told apart by what only grows. */
export function restoreUsage(rows: Iterable<SeenRow>, nowMs: number): UsageOfDays {
  let newest: Stored | undefined;
  for (const { usage, ...row } of rows) {
    if (usage !== undefined && (newest === undefined || isLater({ ...row, usage }, newest))) newest = { ...row, usage };
  }
  return newest?.usage ?? newTally(nowMs);
}

function isLater(a: Stored, b: Stored): boolean {
  return a.at === b.at ? totalOf(a.usage.today).requests > totalOf(b.usage.today).requests : a.at > b.at;
}

/**
 * Adds what a prober has used. After its report it is still awake for the answer: one that slept since has forgotten how long, and
 * is taken to have waited as long as this report took, there and back.
 * @param sentAt by the prober's clock, Unix ms
 */
export function noteProber(
  world: World,
  region: Region,
  used: UsageSince | undefined,
  sentAt: number,
  nowMs: number,
): void {
  if (used === undefined) return;
  const { probers } = today(world, nowMs);
  const sum = probers[region] ?? { ...NO_USAGE };
  probers[region] = sum;
  addUsage(sum, used);
  if (used.isFirst) sum.awakeMs += 2 * Math.min(Math.max(0, nowMs - sentAt), MAX_WAY_MS);
}

/** Adds what the object of a cluster has used. */
export function noteCluster(world: World, used: Usage | undefined, nowMs: number): void {
  if (used !== undefined) addUsage(today(world, nowMs).clusters, used);
}

/** What was used until now, with what this coordinator has. */
export function usageNow(world: World, nowMs: number): UsageOfDays {
  const { coordinators } = today(world, nowMs);
  addUsage(coordinators, world.outside.used?.() ?? NO_USAGE);
  coordinators.rowsWritten -= world.foreseenRows;
  world.foreseenRows = 0;
  return world.usage;
}

/** The same, to be stored in a row that is written next: this row is in it, since a coordinator that sleeps then forgets it. */
export function usageToStore(world: World, nowMs: number): UsageOfDays {
  const usage = usageNow(world, nowMs);
  addUsage(usage.today.coordinators, ROW);
  world.foreseenRows += ROW.rowsWritten;
  return usage;
}

function today(world: World, nowMs: number) {
  world.usage = turned(world.usage, nowMs);
  return world.usage.today;
}

/** See `CoordinatorRpc.usage`. */
export function partitionUsage(world: World, nowMs: number): PartitionUsage {
  let [endpoints, usd] = [0, 0];
  for (const { desired } of world.probes.values()) {
    if (desired.resting !== undefined) continue;
    const { protocol, intervalMs, expectedBody } = desired.check;
    endpoints += 1;
    usd += route53Usd({ isHttps: protocol === "HTTPS", intervalMs, readsBody: expectedBody !== undefined });
  }
  return { days: usageNow(world, nowMs), endpoints, route53Usd: usd };
}
