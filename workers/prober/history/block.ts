import { BUCKET_LENGTH, type Bucket, sum } from "./bucket.ts";

/** Some steps of one probe, by when each begins (Unix ms). */
export type Series = Map<number, Bucket>;

/** What was seen of a shard's probes from `at` on (Unix ms), for as long as its level says; by probe id. */
export interface Block {
  at: number;
  series: Map<string, Series>;
}

/** Of a shard whose probes come and go: four times as many as it has at once. It keeps a row far below 2 MB. */
const MAX_PROBES = 120;

export const newBlock = (at: number): Block => ({ at, series: new Map() });

/** The multiple of a length of time that a moment lies in (all in ms). */
export const floorTo = (ms: number, lengthMs: number): number => Math.floor(ms / lengthMs) * lengthMs;

/** Adds to what is known of a probe in a step, in place. */
export function add(block: Block, probe: string, stepAt: number, given: Bucket): void {
  const series: Series = block.series.get(probe) ?? new Map();
  block.series.set(probe, series);
  const known = series.get(stepAt);
  series.set(stepAt, known === undefined ? given : sum(known, given));
}

/** Adds another block, in steps of `stepMs` that are no finer than its own, in place. */
export function addAll(block: Block, other: Block, stepMs: number): void {
  for (const [probe, series] of other.series) {
    for (const [at, given] of series) add(block, probe, floorTo(at, stepMs), given);
  }
}

/** As it is stored: `{probe: [[number of the step, …cell], …]}`. Of too many probes those that were seen last are kept. */
export function blockText({ at, series }: Block, stepMs: number): string {
  const lastStep = (steps: Series) => Math.max(...steps.keys());
  const kept = [...series].sort(([, a], [, b]) => lastStep(b) - lastStep(a)).slice(0, MAX_PROBES);
  const rows = ([probe, steps]: [string, Series]) => [
    probe,
    [...steps].map(([stepAt, c]) => [(stepAt - at) / stepMs, ...c]),
  ];
  return JSON.stringify(Object.fromEntries(kept.map(rows)));
}

/**
 * Reads a stored block; of the named probes alone, where some are named. Throws when it cannot be read, or when what it says
 * of one of them cannot.
 */
export function readBlock(text: string, at: number, stepMs: number, probes?: ReadonlySet<string>): Block {
  const stored: Record<string, unknown> = JSON.parse(text);
  const block = newBlock(at);
  for (const [probe, rows] of Object.entries(stored)) {
    if (probes !== undefined && !probes.has(probe)) continue;
    if (!Array.isArray(rows) || !rows.every(isRow)) throw new Error("its steps are no lists of numbers");
    block.series.set(probe, new Map(rows.map(([n, ...given]) => [at + n * stepMs, given])));
  }
  return block;
}

/** By hand: a span of 90 days has 65,000 of them, for which a schema takes a second. */
const isRow = (row: unknown): row is [number, ...Bucket] =>
  Array.isArray(row) && row.length > 0 && row.length <= 1 + BUCKET_LENGTH && row.every(isCount);

const isCount = (value: unknown): value is number => typeof value === "number" && value >= 0 && Number.isFinite(value);
