import type { Report } from "../../../shared/model/messages/report.ts";
import { NO_USAGE, type Usage, type UsageOfDays } from "../../../shared/model/usage.ts";
import { route53Usd } from "../../../shared/price/prices.ts";
import { addUsage, newTally, totalOf, turned } from "../../../shared/usage/tally.ts";
import { CONTACT_EVERY_MS } from "../../contact-every.ts";
import type { ClusterContact, PartitionUsage } from "../../rpc.ts";
import { type CoordinatorState, inRegionKey, type Metering } from "../state.ts";
import { ALL_SEEN, type LastSeenRow } from "../store/tables.ts";

/*
 * What the partition's objects use, by UTC day: each tells it with what it says anyway, and it is stored in the rows of what was seen, which
 * are written anyway. A coordinator that is put to sleep forgets what came after the last of them. Reports and contacts of that time are put
 * in again, since who sends them does so regularly: each at what its sender's next one says.
 */

/** A row of what was seen that is there already; the first of its key costs one more. */
const ROW: Usage = { ...NO_USAGE, rowsWritten: 1 };

/** The way of a report and of its answer; more is a clock that is wrong. */
const MAX_WAY_MS = 5_000;

/** The heartbeat writes a row of all that was counted. */
const ROW_EVERY_MS = 60_000;
/** A contact is in no row where the coordinator wakes for it alone; cron's minute and the contact's beat come together this often. */
const CONTACTS_MEET_MS = 600_000;
/** Who was not heard for so long has stopped, and nothing of it was forgotten. */
const STOPPED_AFTER_MS = 86_400_000;

type StoredUsage = Pick<LastSeenRow, "usage" | "counted">;
type WithUsage = LastSeenRow & { usage: UsageOfDays };

/** Nothing is counted yet. */
export const newMetering = (nowMs: number): Metering => ({
  days: newTally(nowMs),
  foreseenRows: 0,
  counted: new Map(),
  heard: new Set(),
  unstored: new Set(),
});

/** The days as last stored, if they were; two rows of one moment are told apart by what only grows. */
export function restoreUsage({ metering }: CoordinatorState, rows: ReadonlyMap<string, LastSeenRow>): void {
  let newest: WithUsage | undefined;
  for (const { usage, ...row } of rows.values()) {
    if (usage !== undefined && (newest === undefined || isLater({ ...row, usage }, newest))) newest = { ...row, usage };
    for (const [sender, at] of Object.entries(row.counted ?? {})) noteCounted(metering, sender, at);
  }
  for (const [sender, at] of metering.counted) {
    // Named in the row of another alone, it would be forgotten with the next that is written there.
    const isKept = [sender, ALL_SEEN].some((key) => rows.get(key)?.counted?.[sender] === at);
    if (isKept) metering.unstored.delete(sender);
  }
  if (newest !== undefined) metering.days = newest.usage;
}

function isLater(a: WithUsage, b: WithUsage): boolean {
  return a.at === b.at ? totalOf(a.usage.today).requests > totalOf(b.usage.today).requests : a.at > b.at;
}

/**
 * Adds what a prober has used. After its report it is still awake for the answer: one that slept since has forgotten how long, and
 * is taken to have waited as long as this report took, there and back.
 */
export function noteProber(
  state: CoordinatorState,
  { shard, number, roundAt, usage: used }: Report,
  nowMs: number,
): void {
  if (used === undefined) return;
  const { region, intervalMs } = shard;
  const most = Math.ceil(ROW_EVERY_MS / intervalMs);
  const sentAt = Math.min(roundAt, nowMs);
  const last = noteMessage(state.metering, inRegionKey(shard, region), sentAt);
  const forgotten = last === undefined ? 0 : missedReportCount(last, sentAt, intervalMs, most);
  const { probers, coordinators } = today(state, nowMs);
  const sum = probers[region] ?? { ...NO_USAGE };
  probers[region] = sum;
  const wayMs = used.isFirst ? 2 * Math.min(Math.max(0, nowMs - number.n), MAX_WAY_MS) : 0;
  addUsage(sum, { ...used, awakeMs: used.awakeMs + wayMs }, 1 + forgotten);
  coordinators.requests += forgotten;
}

/** Adds what the object of a cluster has used until its regular word. */
export function noteContact(state: CoordinatorState, { cluster, usage: used }: ClusterContact, nowMs: number): void {
  if (used === undefined) return;
  const most = CONTACTS_MEET_MS / CONTACT_EVERY_MS;
  const last = noteMessage(state.metering, cluster, nowMs);
  const forgotten = last === undefined ? 0 : missedReportCount(last, nowMs, CONTACT_EVERY_MS, most);
  const { clusters, coordinators } = today(state, nowMs);
  addUsage(clusters, used, 1 + forgotten);
  coordinators.requests += forgotten;
}

/** Adds what the objects of clusters have told cron. */
export function noteClusters(state: CoordinatorState, used: Usage, nowMs: number): void {
  addUsage(today(state, nowMs).clusters, used);
}

/** Notes a word that is counted. Of the first to this memory: when the last was sent that is in a row, after which some may be forgotten. */
function noteMessage(metering: Metering, sender: string, sentAt: number): number | undefined {
  const last = metering.heard.has(sender) ? undefined : metering.counted.get(sender);
  metering.heard.add(sender);
  noteCounted(metering, sender, sentAt);
  return last;
}

function noteCounted({ counted, unstored }: Metering, sender: string, sentAt: number): void {
  counted.set(sender, Math.max(sentAt, counted.get(sender) ?? 0));
  unstored.add(sender);
}

/** What was used until now, with what this coordinator has. */
export function usageNow(state: CoordinatorState, nowMs: number): UsageOfDays {
  const { coordinators } = today(state, nowMs);
  const { metering } = state;
  addUsage(coordinators, state.dependencies.used?.() ?? NO_USAGE);
  coordinators.rowsWritten -= metering.foreseenRows;
  metering.foreseenRows = 0;
  return metering.days;
}

/**
 * What goes into the row of a shard in a region that is written next: this row is in it, since a coordinator that sleeps then forgets it.
 * Who else is counted in it, and has no row of its own, is named too, until the row of all.
 */
export function usageToStore(state: CoordinatorState, key: string, nowMs: number): StoredUsage {
  const { counted, unstored } = state.metering;
  const named = Object.fromEntries([...counted].filter(([sender]) => sender === key || unstored.has(sender)));
  unstored.delete(key);
  return { usage: usageWithRow(state, nowMs), counted: named };
}

/** The same for the row of all. */
export function allUsageToStore(state: CoordinatorState, nowMs: number): StoredUsage {
  const { counted, unstored } = state.metering;
  for (const [sender, at] of counted) if (nowMs - at > STOPPED_AFTER_MS) counted.delete(sender);
  unstored.clear();
  return { usage: usageWithRow(state, nowMs), counted: Object.fromEntries(counted) };
}

function usageWithRow(state: CoordinatorState, nowMs: number): UsageOfDays {
  const usage = usageNow(state, nowMs);
  addUsage(usage.today.coordinators, ROW);
  state.metering.foreseenRows += ROW.rowsWritten;
  return usage;
}

function today({ metering }: CoordinatorState, nowMs: number) {
  metering.days = turned(metering.days, nowMs);
  return metering.days.today;
}

/** See `CoordinatorRpc.usage`. */
export function partitionUsage(state: CoordinatorState, nowMs: number): PartitionUsage {
  let [endpoints, usd] = [0, 0];
  for (const { desired } of state.probes.values()) {
    if (desired.resting !== undefined) continue;
    const { protocol, intervalMs, expectedBody } = desired.check;
    endpoints += 1;
    usd += route53Usd({ isHttps: protocol === "HTTPS", intervalMs, readsBody: expectedBody !== undefined });
  }
  return { days: usageNow(state, nowMs), endpoints, route53Usd: usd };
}

/**
 * How many words of one who speaks regularly a coordinator has heard and forgotten: those that lie between the newest that is in a row
 * and the first that its next memory hears. Whoever missed its time has told nothing to be forgotten, and that looks the same: so not
 * more are put in than a memory can have held.
 * @param lastMs when the newest was sent that was counted, Unix ms
 * @param firstMs when that was sent which is heard now, Unix ms
 * @param most by the time that passes between two rows
 */
export function missedReportCount(lastMs: number, firstMs: number, everyMs: number, most: number): number {
  return Math.max(0, Math.min(Math.round((firstMs - lastMs) / everyMs) - 1, most));
}
