import { z } from "zod";
import { probeId } from "./probe.ts";
import { region } from "./region.ts";

/** How far back, and how finely: one minute for 6 hours, a quarter of an hour for 7 days, an hour for 90 days. */
export const SPANS = {
  "6h": { spanMs: 6 * 3_600_000, stepMs: 60_000 },
  "7d": { spanMs: 7 * 86_400_000, stepMs: 900_000 },
  "90d": { spanMs: 90 * 86_400_000, stepMs: 3_600_000 },
} as const;
export const historySpan = z.enum(["6h", "7d", "90d"]);
export type HistorySpan = z.infer<typeof historySpan>;

/** How many series (one probe from one region) an answer has at most, and points in all of them: some 3 MB uncompressed. */
export const MAX_SERIES = 500;
export const MAX_POINTS = 20_000;

const meanMs = z.number().nonnegative().nullable();

/**
 * One probe in one step of time, seen from one region. Means are over the checks whose phases were measured, null where none
 * was. Phases count as in an observation: `resolveMs` by itself, the others from the dial. `totalMs` is of checks that were
 * ok: one that fails ends when it gives up.
 *
 * If an interval is longer than some 10 s, the prober's memory is lost between two rounds. A quiet round (every outcome as
 * before) is written only each 5 minutes. The rounds between are filled in from the clock: the counts are what they were, but
 * - their latencies are lost: at 30 s a mean is over one check in ten, or all where outcomes change;
 * - a check of theirs that got no slot counts as the outcome before it;
 * - of rounds that were never made, since the platform paused, up to 5 minutes are counted as if they had been;
 * - a prober that is stopped during a round loses what was not written yet. A probe that moves to another shard (another interval
 *   or set of regions) starts a new history there.
 */
const historyPoint = z.strictObject({
  at: z.int().nonnegative().describe("Begin of the step, Unix ms, a multiple of it."),
  ok: z.int().nonnegative(),
  failed: z.int().nonnegative(),
  indeterminate: z.int().nonnegative().describe("Trouble of the prober's own: counts for nothing."),
  resolveMs: meanMs,
  connectMs: meanMs,
  tlsMs: meanMs,
  firstByteMs: meanMs,
  totalMs: meanMs,
});
export type HistoryPoint = z.infer<typeof historyPoint>;

const probeHistory = z.strictObject({
  probe: probeId,
  leaf: z.string(),
  region,
  points: z.array(historyPoint).describe("The oldest first; a step without a check is absent."),
});
export type ProbeHistory = z.infer<typeof probeHistory>;

/** What `GET /v1/records/:host/history?span=` answers. */
export const recordHistory = z.strictObject({
  rootHost: z.string(),
  span: historySpan,
  stepMs: z.int().positive().describe("That of the span, or a multiple where there are many series: see MAX_POINTS."),
  from: z.int().nonnegative().describe("Unix ms."),
  to: z.int().nonnegative(),
  series: z.array(probeHistory),
  availability: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .describe("ok / (ok + failed) over all its probes and regions; null where nothing was checked."),
  missing: z.array(region).describe("Regions whose probers did not answer, or not all."),
  leftOut: z.int().positive().optional().describe("Probes that are not in here: see MAX_SERIES."),
});
export type RecordHistory = z.infer<typeof recordHistory>;
