import { type HistorySpan, SPANS } from "../../../shared/model/history.ts";
import { addAll, type Block, blockText, floorTo, newBlock, readBlock } from "./block.ts";

/** A row is one block: `level` is its place in `LEVELS`, `at` its begin in Unix ms. Without a rowid, or each cost two rows. */
export const HISTORY_MIGRATION = `
  CREATE TABLE history (level INTEGER NOT NULL, at INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (level, at)) WITHOUT ROWID;
  ALTER TABLE marks ADD COLUMN history TEXT;`;

const COARSE_FIRST = [2, 1, 0] as const satisfies readonly ResolutionNumber[];

interface Range {
  level: ResolutionNumber;
  /** The blocks that begin in it, Unix ms. */
  fromMs: number;
  beforeMs: number;
}

/**
 * Stores finished quarters of an hour, makes hours and days of complete ones, and drops what is too old. It does so in a batch,
 * each time that something was made. Steps that were missed between them are done later.
 */
export function storeClosed(sql: SqlStorage, blocks: readonly Block[], nowMs: number): void {
  if (blocks.length === 0) return;
  for (const block of blocks) {
    const beforeMs = block.at + 1;
    const parts = [...readBlocks(sql, { level: 0, fromMs: block.at, beforeMs }), block];
    put(sql, 0, joined(0, block.at, parts));
  }
  const isHourOver = rollUp(sql, { from: 0, to: 1 }, nowMs);
  if (isHourOver) rollUp(sql, { from: 1, to: 2 }, nowMs);
  if (isHourOver) prune(sql, nowMs);
}

/** Blocks of the level, and of finer ones what is not in it yet, from the one that `fromMs` lies in. */
export function readFrom(
  sql: SqlStorage,
  { level, fromMs, nowMs }: { level: ResolutionNumber; fromMs: number; nowMs: number },
  probes: ReadonlySet<string>,
): Block[] {
  const blocks: Block[] = [];
  let from = fromMs;
  for (const finer of COARSE_FIRST.filter((one) => one <= level)) {
    const { blockMs } = RESOLUTIONS[finer];
    blocks.push(...readBlocks(sql, { level: finer, fromMs: floorTo(from, blockMs), beforeMs: nowMs + 1 }, probes));
    from = Math.max(from, endOf(sql, finer, nowMs));
  }
  return blocks;
}

export function dropAll(sql: SqlStorage): void {
  sql.exec("DELETE FROM history");
}

/** Makes the blocks of a level that are whole; whether there were any. */
function rollUp(
  sql: SqlStorage,
  { from, to }: { from: ResolutionNumber; to: ResolutionNumber },
  nowMs: number,
): boolean {
  const { blockMs } = RESOLUTIONS[to];
  const range = { level: from, fromMs: endOf(sql, to, nowMs), beforeMs: floorTo(nowMs, blockMs) };
  const byBlock = Map.groupBy(readBlocks(sql, range), ({ at }) => floorTo(at, blockMs));
  for (const [at, parts] of byBlock) put(sql, to, joined(to, at, parts));
  return byBlock.size > 0;
}

function prune(sql: SqlStorage, nowMs: number): void {
  for (const [level, { keepMs, blockMs }] of RESOLUTIONS.entries()) {
    sql.exec("DELETE FROM history WHERE level = ? AND at < ?", level, nowMs - keepMs - blockMs);
  }
}

/** Until when there are blocks of the level, Unix ms: finer ones go on from there. */
function endOf(sql: SqlStorage, level: ResolutionNumber, nowMs: number): number {
  const { blockMs } = RESOLUTIONS[level];
  const query = "SELECT MAX(at) AS at FROM history WHERE level = ? AND at <= ?";
  const { at } = sql.exec<{ at: number | null }>(query, level, nowMs).one();
  return at === null ? 0 : at + blockMs;
}

function joined(level: ResolutionNumber, at: number, parts: readonly Block[]): Block {
  const { stepMs } = RESOLUTIONS[level];
  const block = newBlock(at);
  for (const part of parts) addAll(block, part, stepMs);
  return block;
}

function put(sql: SqlStorage, level: ResolutionNumber, block: Block): void {
  const { stepMs } = RESOLUTIONS[level];
  const text = blockText(block, stepMs);
  sql.exec("INSERT OR REPLACE INTO history (level, at, body) VALUES (?, ?, ?)", level, block.at, text);
}

/** One that cannot be read is left out: it goes with its age. */
function readBlocks(sql: SqlStorage, { level, fromMs, beforeMs }: Range, probes?: ReadonlySet<string>): Block[] {
  const { stepMs } = RESOLUTIONS[level];
  const query = "SELECT at, body FROM history WHERE level = ? AND at >= ? AND at < ? ORDER BY at";
  const rows = sql.exec<{ at: number; body: string }>(query, level, fromMs, beforeMs);
  return [...rows].flatMap(({ at, body }) => {
    try {
      return [readBlock(body, at, stepMs, probes)];
    } catch {
      console.error({ message: "a block of history cannot be read and is left out", level, at });
      return [];
    }
  });
}

/** How finely history is kept, and for how long. A block is one row, with the steps of all probes of the shard. */
export interface Resolution {
  stepMs: number;
  keepMs: number;
  blockMs: number;
}

const levelOf = (span: HistorySpan, blockMs: number): Resolution => {
  const { spanMs, stepMs } = SPANS[span];
  return { stepMs, keepMs: spanMs, blockMs };
};

/** The finest first. A block of a level is a step of the next, or several. */
export const RESOLUTIONS = [
  levelOf("6h", SPANS["7d"].stepMs),
  levelOf("7d", SPANS["90d"].stepMs),
  levelOf("90d", 86_400_000),
] as const;

export const MINUTES = RESOLUTIONS[0];

/** The place of a level in `LEVELS`, by which it is stored. */
export type ResolutionNumber = 0 | 1 | 2;

/** The level that answers for a span. */
export const RESOLUTION_OF_SPAN: Record<HistorySpan, ResolutionNumber> = { "6h": 0, "7d": 1, "90d": 2 };
