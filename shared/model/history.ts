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

const meanMs = z.number().nonnegative().nullable();

/**
 * One probe in one step of time, seen from one region. Means are over the checks whose phases were measured, null where none
 * was. Phases count as in an observation: `resolveMs` by itself, the others from the dial.
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

export const probeHistory = z.strictObject({
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
  stepMs: z.int().positive(),
  from: z.int().nonnegative().describe("Unix ms."),
  to: z.int().nonnegative(),
  series: z.array(probeHistory),
  availability: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .describe("ok / (ok + failed) over all its probes and regions; null where nothing was checked."),
  missing: z.array(region).describe("Regions whose probers did not answer."),
});
export type RecordHistory = z.infer<typeof recordHistory>;
