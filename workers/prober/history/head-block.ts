import { z } from "zod";
import type { Shard } from "../../../shared/model/messages/assignment.ts";
import type { Observation } from "../../../shared/model/observation.ts";
import { type Outcome, outcomeOf } from "../../../shared/reason.ts";
import { nextRoundAt, roundAfter } from "../schedule/round-schedule.ts";
import { add, type Block, blockText, floorTo, newBlock, readBlock } from "./block.ts";
import { type Bucket, bucketOf, OUTCOMES, outcomeBucket } from "./bucket.ts";
import { MINUTES } from "./rollup-tables.ts";

/**
 * How long history goes on in memory alone, in ms; longer where the interval is longer. A written row is what history costs
 * ($1 a million), and this decides how many there are. A month of a shard in one region, at an interval of 30 s:
 *
 *   the open row        3 in a quarter of an hour (the first of them closes the one before)   8,640 rows
 *   a closed quarter    written once, deleted once                                            5,760
 *   an hour, a day      written once, deleted once                                            1,500
 *                                                                                            15,900 rows, $0.016
 *
 * That is $0.0005 for each of 30 probes, of the $0.01 that a probe may cost in a region and month. A shard of one probe pays the
 * $0.016 alone, beside $0.086 for the rows of its alarm. With 1 min in place of 5 it were 50,500 rows. A changed outcome writes
 * no more than the marks, in whose row it is. Only a change to or from a fault of the prober's own is one row more.
 */
export const WRITE_EVERY_MS = 300_000;

/** How a probe's last check ended, and the round it was of; of confirmations, when these began. */
interface Last {
  outcome: Outcome;
  slot: number;
}

/**
 * The quarter of an hour that is not over. A round is identified by its slot, the moment that it was due (Unix ms). So memory and
 * the filled-in rounds name the same minute. Confirmations, which are never filled in, have the moment that they began.
 */
export interface HeadBlock {
  /** The newest round, or confirmations, in it. */
  slot: number;
  last: Map<string, Last>;
  /** The oldest first. Any but the last is over, and not written yet. */
  blocks: Block[];
}

export interface CheckedObservation {
  probe: string;
  observation: Observation;
}

/** The slot of a round that begins now. */
export const slotOf = (nowMs: number, shard: Shard): number => roundAfter(nowMs, shard) - shard.intervalMs;

/** Counts what was checked in a round, or to confirm, in place. */
export function addChecks(open: HeadBlock, slot: number, checks: readonly CheckedObservation[]): void {
  open.slot = slot;
  for (const { probe, observation } of checks) {
    addTo(open, probe, slot, bucketOf(observation));
    open.last.set(probe, { outcome: outcomeOf(observation.reason), slot });
  }
}

/**
 * Fills in the rounds before `untilSlot` that memory has lost, in place. A round writes when an outcome differs from the stored
 * one, or `WRITE_EVERY_MS` after the last write. Confirmations always write. So every round without a write was within that time,
 * and each probe went on as before. Rounds that were never made, because the platform paused, look the same. At most
 * `WRITE_EVERY_MS` of checks are invented for a pause.
 */
export function backfill(open: HeadBlock, untilSlot: number, shard: Shard): void {
  const written = open.slot;
  for (const [probe, last] of open.last) {
    let slot = nextRoundAt(Math.max(last.slot, written - 1), shard);
    for (; slot < untilSlot && slot - written < WRITE_EVERY_MS; slot = nextRoundAt(slot, shard)) {
      addTo(open, probe, slot, outcomeBucket(last.outcome));
      last.slot = slot;
    }
  }
}

function addTo(open: HeadBlock, probe: string, slot: number, given: Bucket): void {
  const at = floorTo(slot, MINUTES.blockMs);
  let block = open.blocks.find((one) => one.at === at);
  if (block === undefined) {
    block = newBlock(at);
    open.blocks = [...open.blocks, block].sort((a, b) => a.at - b.at);
  }
  add(block, probe, floorTo(slot, MINUTES.stepMs), given);
}

/** The quarters that were over when the newest round was due. */
export function closedBlocks({ slot, blocks }: HeadBlock): Block[] {
  return blocks.filter(({ at }) => at !== floorTo(slot, MINUTES.blockMs));
}

/** All that is not closed, as it is stored. */
export function headText(open: HeadBlock): string {
  const at = floorTo(open.slot, MINUTES.blockMs);
  const block = open.blocks.find((one) => one.at === at) ?? newBlock(at);
  const last = [...open.last].map(([probe, { outcome, slot }]) => [probe, { outcome, slot }]);
  return JSON.stringify({ slot: open.slot, last: Object.fromEntries(last), block: blockText(block, MINUTES.stepMs) });
}

const stored = z.object({
  slot: z.int().nonnegative(),
  last: z.record(z.string(), z.object({ outcome: z.enum(OUTCOMES), slot: z.int().nonnegative() })),
  block: z.string(),
});

/** Throws when it cannot be read. */
export function readHead(text: string): HeadBlock {
  const { slot, last, block } = stored.parse(JSON.parse(text));
  const at = floorTo(slot, MINUTES.blockMs);
  return { slot, last: new Map(Object.entries(last)), blocks: [readBlock(block, at, MINUTES.stepMs)] };
}
