import { hash32 } from "../../../shared/hash.ts";
import { NO_COUNTS, saturate } from "../../../shared/health/count.ts";
import type { Assignment } from "../../../shared/model/messages/assignment.ts";
import type { MessageNumber } from "../../../shared/model/number.ts";
import type { Probe } from "../../../shared/model/probe.ts";
import type { Region } from "../../../shared/model/region.ts";
import { isNewer } from "../../../shared/number.ts";
import { errorMessage } from "../../retry.ts";
import { recoverAssignmentNumber } from "../epoch-recovery.ts";
import type { CoordinatorSettings, CoordinatorState, ProbeState, ShardState } from "../state.ts";
import { readMeta, writeMeta } from "../store/meta.ts";
import { numberChanges, storeShard } from "../store/persist.ts";
import { confirmIntervalOf } from "./address-load.ts";
import { pruneShards } from "./shards.ts";

/** Limit of concurrent calls to probers. */
const CALLS_AT_ONCE = 50;

/** The complete assignment of a shard in a region. Resting probes are left out. Each probe carries its last counts. */
export function assignmentFor(state: CoordinatorState, shard: ShardState, region: Region): Assignment {
  const { intervalMs, n, regions } = shard;
  const active = [...shard.members.values()].filter(({ desired }) => desired.resting === undefined);
  return {
    version: 1,
    shard: { region, partition: state.partition, intervalMs, n, regions: [...regions] },
    number: { epoch: state.epoch, n: shard.assigned },
    probes: active.map((probe) => probeFor(state, probe, region)).sort((a, b) => (a.id < b.id ? -1 : 1)),
  };
}

function probeFor(state: CoordinatorState, { desired, regionStates }: ProbeState, region: Region): Probe {
  const counts = regionStates.get(region)?.counts ?? NO_COUNTS;
  const { confirmIntervalMs: _, ...probe } = desired.probe;
  const confirmIntervalMs = confirmIntervalOf(state, desired);
  return {
    ...probe,
    ...(confirmIntervalMs !== undefined && { confirmIntervalMs }),
    ...(counts !== NO_COUNTS && { carried: saturate(counts, desired.check) }),
  };
}

/** Sends assignments that are not yet acknowledged. If a prober is unreachable, the heartbeat tries again. */
export async function sendAssignments(state: CoordinatorState, shards: Iterable<ShardState>): Promise<void> {
  const due = [...shards].flatMap((shard) =>
    shard.regions.filter((region) => isBehind(shard, region)).map((region) => ({ shard, region })),
  );
  await sendAll(state, due);
}

/** Sends assignments even if they were acknowledged: a prober then sets its alarm if that was lost. */
export async function sendAll(
  state: CoordinatorState,
  calls: readonly { shard: ShardState; region: Region }[],
): Promise<void> {
  const acknowledged = new Set<ShardState>();
  for (let first = 0; first < calls.length; first += CALLS_AT_ONCE) {
    const batch = calls.slice(first, first + CALLS_AT_ONCE);
    await Promise.all(
      batch.map(async ({ shard, region }) => {
        if (await send(state, shard, region)) acknowledged.add(shard);
      }),
    );
  }
  if (state.isAbandoned) return;
  for (const shard of acknowledged) if (state.shards.get(shard.key) === shard) storeShard(state, shard);
  pruneShards(state);
}

/** Returns whether the prober has acknowledged a new number. */
async function send(state: CoordinatorState, shard: ShardState, region: Region): Promise<boolean> {
  const inRegion = shard.inRegions.get(region);
  if (inRegion === undefined || inRegion.isSending || state.isAbandoned) return false;
  inRegion.isSending = true;
  const before = shard.acknowledged.get(region);
  try {
    let sent: number;
    do {
      sent = shard.assigned;
      const { number } = await state.dependencies.assign(assignmentFor(state, shard, region));
      if (number.epoch === state.epoch) shard.acknowledged.set(region, number.n);
      recoverFromAnswer(state, shard, region, number);
    } while (shard.assigned > sent && !state.isAbandoned);
  } catch (error) {
    const { intervalMs, n } = shard;
    console.warn({ message: "cannot reach a prober", region, intervalMs, n, error: errorMessage(error) });
  } finally {
    inRegion.isSending = false;
  }
  return shard.acknowledged.get(region) !== before;
}

/**
 * If a prober answers with a number above the one it was sent, it is sent the next number, once. A prober that
 * repeats this is broken.
 */
function recoverFromAnswer(state: CoordinatorState, shard: ShardState, region: Region, held: MessageNumber): void {
  const inRegion = shard.inRegions.get(region);
  if (inRegion === undefined || state.isAbandoned) return;
  const { intervalMs } = shard;
  const isAbove = isNewer(held, { epoch: state.epoch, n: shard.assigned });
  const wasAbove = inRegion.isAhead;
  inRegion.isAhead = isAbove;
  if (!isAbove || wasAbove) return;
  if (!recoverAssignmentNumber(state, shard, { held, region, intervalMs }, state.dependencies.now())) return;
  const { shards } = numberChanges(state);
  state.dependencies.changed([]);
  // If the epoch has changed, the heartbeat delivers the decisions.
  state.dependencies.soon(() => sendAssignments(state, shards));
}

export function isBehind(shard: ShardState, region: Region): boolean {
  return (shard.acknowledged.get(region) ?? 0) < shard.assigned;
}

/** Increase it if a release builds a different assignment from the same records. */
const FORMAT_VERSION = 1;

/**
 * Assigns all shards again after a relevant setting or the assignment format has changed. The state follows the new
 * settings at once, but probers still hold assignments made with the old ones.
 */
export function reassignOnSettingsChange(state: CoordinatorState): void {
  const { sql } = state.store;
  const now = hashOf(state.settings);
  if (readMeta(sql, "assignedBy") === now) return;
  for (const shard of state.shards.values()) state.changedShards.add(shard);
  writeMeta(sql, "assignedBy", now);
}

/** Records the settings in a new storage, where nothing was assigned yet. */
export function noteSettings(sql: SqlStorage, settings: CoordinatorSettings): void {
  writeMeta(sql, "assignedBy", hashOf(settings));
}

const hashOf = ({ allowPrivate, allowedPorts, maxRequestsPerAddress }: CoordinatorSettings) =>
  hash32(JSON.stringify([FORMAT_VERSION, allowPrivate, allowedPorts, maxRequestsPerAddress]));
