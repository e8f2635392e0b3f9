import type { Report } from "../../../shared/model/messages/report.ts";
import { NO_USAGE, type Usage, type UsageOfDays } from "../../../shared/model/usage.ts";
import { route53Usd } from "../../../shared/price/prices.ts";
import { addUsage, newTally, totalOf, turned } from "../../../shared/usage/tally.ts";
import { CONTACT_EVERY_MS } from "../../contact-every.ts";
import type { ClusterContact, PartitionUsage } from "../../rpc.ts";
import { type CoordinatorState, inRegionKey, type Metering } from "../state.ts";
import { ALL_SEEN, type LastSeenRow } from "../store/tables.ts";

/*
 * Usage of the partition's objects, by UTC day.
 *
 * - Each object reports its usage with the messages that it sends anyway.
 * - The usage is stored in the last-seen rows, which are written anyway.
 * - A coordinator that is put to sleep forgets the messages after the newest row. They are added again as estimates:
 *   their senders are regular, and each missed message counts as much as the sender's next one.
 */

/** An update of a last-seen row. The first insert of a key costs one more. */
const ROW: Usage = { ...NO_USAGE, rowsWritten: 1 };

/** Upper bound of the time that a report and its response take; a longer time means a wrong clock. */
const MAX_WAY_MS = 5_000;

/** The heartbeat writes the row of all shards this often. */
const ROW_EVERY_MS = 60_000;
/**
 * Contacts of an otherwise idle coordinator are stored only when a contact and the cron minute coincide, this often.
 */
const CONTACTS_MEET_MS = 600_000;
/** A sender that was silent for this long has stopped, and no message was missed. */
const STOPPED_AFTER_MS = 86_400_000;

type StoredUsage = Pick<LastSeenRow, "usage" | "counted">;
type WithUsage = LastSeenRow & { usage: UsageOfDays };

export const newMetering = (nowMs: number): Metering => ({
  days: newTally(nowMs),
  foreseenRows: 0,
  counted: new Map(),
  heard: new Set(),
  unstored: new Set(),
});

/**
 * Restores the newest stored usage. Of two rows written at the same time, the one with more requests is newer, since
 * requests only grow.
 */
export function restoreUsage({ metering }: CoordinatorState, rows: ReadonlyMap<string, LastSeenRow>): void {
  let newest: WithUsage | undefined;
  for (const { usage, ...row } of rows.values()) {
    if (usage !== undefined && (newest === undefined || isLater({ ...row, usage }, newest))) newest = { ...row, usage };
    for (const [sender, at] of Object.entries(row.counted ?? {})) noteCounted(metering, sender, at);
  }
  for (const [sender, at] of metering.counted) {
    // A sender named only in another sender's row would be lost with the next write of that row.
    const isKept = [sender, ALL_SEEN].some((key) => rows.get(key)?.counted?.[sender] === at);
    if (isKept) metering.unstored.delete(sender);
  }
  if (newest !== undefined) metering.days = newest.usage;
}

function isLater(a: WithUsage, b: WithUsage): boolean {
  return a.at === b.at ? totalOf(a.usage.today).requests > totalOf(b.usage.today).requests : a.at > b.at;
}

/**
 * Adds the usage of a prober. The prober stays awake after its report until it has the response. If it slept since,
 * it does not know how long it waited; that time is estimated as the round trip of this report.
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

/** Adds the usage of a cluster's object since its last contact. */
export function noteContact(state: CoordinatorState, { cluster, usage: used }: ClusterContact, nowMs: number): void {
  if (used === undefined) return;
  const most = CONTACTS_MEET_MS / CONTACT_EVERY_MS;
  const last = noteMessage(state.metering, cluster, nowMs);
  const forgotten = last === undefined ? 0 : missedReportCount(last, nowMs, CONTACT_EVERY_MS, most);
  const { clusters, coordinators } = today(state, nowMs);
  addUsage(clusters, used, 1 + forgotten);
  coordinators.requests += forgotten;
}

/** Adds the usage that the clusters' objects returned to cron. */
export function noteClusters(state: CoordinatorState, used: Usage, nowMs: number): void {
  addUsage(today(state, nowMs).clusters, used);
}

/**
 * Records that a message was counted. For the first message of a sender since the start, returns when its last
 * counted message was sent: messages between the two may be missing.
 */
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

/** The usage until now, including that of this coordinator. */
export function usageNow(state: CoordinatorState, nowMs: number): UsageOfDays {
  const { coordinators } = today(state, nowMs);
  const { metering } = state;
  addUsage(coordinators, state.dependencies.used?.() ?? NO_USAGE);
  coordinators.rowsWritten -= metering.foreseenRows;
  metering.foreseenRows = 0;
  return metering.days;
}

/**
 * The usage for the last-seen row of one shard in one region. It includes the write of this row, since a coordinator
 * that sleeps would forget it. Counted senders without a row of their own are named too, until the row of all shards
 * is written.
 */
export function usageToStore(state: CoordinatorState, key: string, nowMs: number): StoredUsage {
  const { counted, unstored } = state.metering;
  const named = Object.fromEntries([...counted].filter(([sender]) => sender === key || unstored.has(sender)));
  unstored.delete(key);
  return { usage: usageWithRow(state, nowMs), counted: named };
}

/** The usage for the row of all shards. */
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
 * How many messages of a regular sender the coordinator received but forgot when its memory was lost. These are between
 * the last stored message and the first since the start. A message that was never sent looks the same, so the count is
 * limited to what one memory can store. @param lastMs when the newest counted message was sent, Unix ms @param firstMs
 * when the present message was sent, Unix ms @param most the number of messages between two stored rows
 */
export function missedReportCount(lastMs: number, firstMs: number, everyMs: number, most: number): number {
  return Math.max(0, Math.min(Math.round((firstMs - lastMs) / everyMs) - 1, most));
}
