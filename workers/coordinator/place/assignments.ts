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

/** How many probers are called at once. */
const CALLS_AT_ONCE = 50;

/** What the shard's prober in a region is to ask, whole. Resting probes are left out; each comes with its last word. */
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

/** Sends what has not been acknowledged. A prober that cannot be reached is tried again by the heartbeat. */
export async function sendAssignments(state: CoordinatorState, shards: Iterable<ShardState>): Promise<void> {
  const due = [...shards].flatMap((shard) =>
    shard.regions.filter((region) => isBehind(shard, region)).map((region) => ({ shard, region })),
  );
  await sendAll(state, due);
}

/** Sends assignments whatever was acknowledged: a prober arms its alarm if that was lost. */
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

/** Whether the prober has acknowledged something new. */
async function send(state: CoordinatorState, shard: ShardState, region: Region): Promise<boolean> {
  const place = shard.inRegions.get(region);
  if (place === undefined || place.isSending || state.isAbandoned) return false;
  place.isSending = true;
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
    console.warn({ message: "a prober could not be reached", region, intervalMs, n, error: errorMessage(error) });
  } finally {
    place.isSending = false;
  }
  return shard.acknowledged.get(region) !== before;
}

/** A prober that holds a number above what it was sent is sent the next, once: one that goes on so is out of order. */
function recoverFromAnswer(state: CoordinatorState, shard: ShardState, region: Region, held: MessageNumber): void {
  const place = shard.inRegions.get(region);
  if (place === undefined || state.isAbandoned) return;
  const { intervalMs } = shard;
  const isAbove = isNewer(held, { epoch: state.epoch, n: shard.assigned });
  const wasAbove = place.isAhead;
  place.isAhead = isAbove;
  if (!isAbove || wasAbove) return;
  if (!recoverAssignmentNumber(state, shard, { held, region, intervalMs }, state.dependencies.now())) return;
  const { shards } = numberChanges(state);
  state.dependencies.changed([]);
  // Decisions, if the epoch is another, go with the heartbeat.
  state.dependencies.soon(() => sendAssignments(state, shards));
}

export function isBehind(shard: ShardState, region: Region): boolean {
  return (shard.acknowledged.get(region) ?? 0) < shard.assigned;
}

/** Another one where an assignment holds something else for the same records than it did with an earlier release. */
const FORMAT_VERSION = 1;

/**
 * Assigns all shards again after the settings that assignments follow from were changed, or a release that makes them
 * otherwise was installed: what is read from storage follows from those of now, and what the probers hold from those of then.
 */
export function reassignOnSettingsChange(state: CoordinatorState): void {
  const { sql } = state.store;
  const now = hashOf(state.settings);
  if (readMeta(sql, "assignedBy") === now) return;
  for (const shard of state.shards.values()) state.changedShards.add(shard);
  writeMeta(sql, "assignedBy", now);
}

/** In a storage that is new nothing was assigned yet. */
export function noteSettings(sql: SqlStorage, settings: CoordinatorSettings): void {
  writeMeta(sql, "assignedBy", hashOf(settings));
}

const hashOf = ({ allowPrivate, allowedPorts, maxRequestsPerAddress }: CoordinatorSettings) =>
  hash32(JSON.stringify([FORMAT_VERSION, allowPrivate, allowedPorts, maxRequestsPerAddress]));
