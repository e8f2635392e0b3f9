import { SPANS } from "../../../shared/model/history.ts";
import type { Shard } from "../../../shared/model/messages/assignment.ts";
import type { HistoryQuestion, ProbePoints } from "../../rpc.ts";
import type { Round } from "../schedule/round-runner.ts";
import { addAll, floorTo, newBlock } from "./block.ts";
import { pointOf } from "./bucket.ts";
import {
  addChecks,
  backfill,
  type CheckedObservation,
  closedBlocks,
  type HeadBlock,
  headText,
  readHead,
  slotOf,
  WRITE_EVERY_MS,
} from "./head-block.ts";
import { dropAll, RESOLUTION_OF_SPAN, readFrom, storeClosed } from "./rollup-tables.ts";

/** A round, or confirmations between two, and the shard it was of; `members` has its probes by id, as they are now. */
interface TakenRound extends Round {
  shard: Shard;
  members: ReadonlyMap<string, unknown>;
}

/**
 * What a shard has seen: the open quarter of an hour in memory and in the row of the marks, what is over in tables. Nothing
 * here may hurt a round: it is asked for its rows when the marks are written, and may throw then.
 */
export class History {
  #open: HeadBlock | undefined;
  /** Whether the rounds that memory has lost were filled in. */
  #isWhole = false;
  /** Whether memory alone knows of confirmations: the clock does not, and so cannot fill them in. */
  #hasConfirmations = false;
  /** Whether the tables have to go, with the next write. */
  #isCleared = false;
  /** The newest round that is stored, and how each probe ended as it is stored. */
  #written: { slot: number; outcomes: string } | undefined;

  /** Takes the open row as it is stored; one that cannot be read is as none. */
  constructor(text: string | undefined) {
    if (text === undefined) return;
    try {
      this.#open = readHead(text);
      this.#written = writtenOf(this.#open);
    } catch {
      console.error({ message: "the open row of history cannot be read and is left out" });
    }
  }

  /**
   * Counts what was checked in a round; the first time after memory was lost, also the rounds since the stored one. Probes
   * that are not among `members` any more were asked until then: what was seen of them goes with its age.
   */
  take(checks: readonly CheckedObservation[], { roundAt, lateMs, isConfirmation, shard, members }: TakenRound): void {
    const slot = isConfirmation ? roundAt : slotOf(roundAt, shard);
    const open = this.#open ?? { slot, last: new Map(), blocks: [] };
    if (!this.#isWhole) backfill(open, isConfirmation ? slot : slotOf(roundAt - lateMs, shard), shard);
    addChecks(open, slot, checks);
    this.#hasConfirmations ||= isConfirmation;
    for (const probe of open.last.keys()) if (!members.has(probe)) open.last.delete(probe);
    this.#isWhole = true;
    this.#open = open;
  }

  /** Whether memory holds what has to be stored now; see `WRITE_EVERY_MS`. */
  get isDue(): boolean {
    const open = this.#open;
    if (this.#isCleared || this.#hasConfirmations) return true;
    if (open === undefined || !this.#isWhole) return false;
    if (this.#written === undefined || closedBlocks(open).length > 0) return true;
    const aheadMs = open.slot - this.#written.slot;
    return aheadMs < 0 || aheadMs >= WRITE_EVERY_MS || this.#written.outcomes !== outcomesOf(open);
  }

  /** Stores the quarters that are over, and answers the open row. `onStored` has to follow once the transaction holds. */
  store(sql: SqlStorage): string | null {
    if (this.#isCleared) dropAll(sql);
    if (this.#open === undefined) return null;
    storeClosed(
      sql,
      closedBlocks(this.#open).filter(({ series }) => series.size > 0),
      this.#open.slot,
    );
    return headText(this.#open);
  }

  onStored(): void {
    this.#isCleared = false;
    this.#hasConfirmations = false;
    if (this.#open === undefined) return;
    const closed = new Set(closedBlocks(this.#open));
    this.#open.blocks = this.#open.blocks.filter((block) => !closed.has(block));
    this.#written = writtenOf(this.#open);
  }

  /** Forgets everything: a shard without probes has nobody to ask for it, and no round in which it would grow old. */
  clear(): void {
    this.#isCleared = true;
    this.#hasConfirmations = false;
    this.#open = undefined;
    this.#written = undefined;
  }

  /** What was seen of the probes until now (Unix ms). Nothing is written. */
  read(sql: SqlStorage, { span, stepMs, probes }: HistoryQuestion, nowMs: number, shard: Shard): ProbePoints[] {
    const fromMs = floorTo(nowMs - SPANS[span].spanMs, stepMs);
    const wanted = new Set(probes);
    const stored = readFrom(sql, { level: RESOLUTION_OF_SPAN[span], fromMs, nowMs }, wanted);
    const all = newBlock(fromMs);
    for (const block of [...stored, ...this.#openBlocks(nowMs, shard)]) addAll(all, block, stepMs);
    return [...wanted].map((probe) => {
      const steps = [...(all.series.get(probe) ?? [])].filter(([at]) => at >= fromMs).sort(([a], [b]) => a - b);
      return { probe, points: steps.map(([at, cell]) => pointOf(at, cell)) };
    });
  }

  /** Those of memory, with the rounds filled in that it has lost: the next round will do so too. */
  #openBlocks(nowMs: number, shard: Shard) {
    if (this.#open === undefined || this.#isWhole) return this.#open?.blocks ?? [];
    const open = structuredClone(this.#open);
    backfill(open, slotOf(nowMs, shard), shard);
    return open.blocks;
  }
}

const writtenOf = (open: HeadBlock) => ({ slot: open.slot, outcomes: outcomesOf(open) });

const outcomesOf = ({ last }: HeadBlock): string =>
  JSON.stringify(
    [...last].map(([probe, { outcome }]) => [probe, outcome]).sort(([a = ""], [b = ""]) => (a < b ? -1 : 1)),
  );
