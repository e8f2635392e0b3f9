import type { HistoryPoint } from "../../../shared/model/history.ts";
import type { Observation, Phases } from "../../../shared/model/observation.ts";
import { type Outcome, outcomeOf } from "../../../shared/reason.ts";

export const OUTCOMES = ["ok", "failed", "indeterminate"] as const satisfies readonly Outcome[];
const PHASES = [
  "resolveMs",
  "connectMs",
  "tlsMs",
  "firstByteMs",
  "totalMs",
] as const satisfies readonly (keyof Phases)[];
export const BUCKET_LENGTH = OUTCOMES.length + 2 * PHASES.length;

/**
 * The results of one probe in one step of time. It has the count of each outcome, then for each phase the sum of milliseconds and
 * the number of measurements. A vector, so that what is said of two steps together is their sum; zeros at its end are left out.
 */
export type Bucket = readonly number[];

export function sum(a: Bucket, b: Bucket): Bucket {
  const [long, short] = a.length < b.length ? [b, a] : [a, b];
  return long.map((value, n) => value + (short[n] ?? 0));
}

/** A check of which no more is known than how it ended. */
export function outcomeBucket(outcome: Outcome): Bucket {
  const place = OUTCOMES.indexOf(outcome);
  return [...OUTCOMES.slice(0, place).map(() => 0), 1];
}

/** A check. A fault of the prober's own has no latencies. The total of a failed check is only the time until it gave up. */
export function bucketOf({ reason, phases }: Observation): Bucket {
  const outcome = outcomeOf(reason);
  if (outcome === "indeterminate") return outcomeBucket(outcome);
  const measured = PHASES.map((phase) => (phase === "totalMs" && outcome === "failed" ? undefined : phases[phase]));
  const all = OUTCOMES.map((one): number => (one === outcome ? 1 : 0));
  for (const ms of measured) all.push(Math.round(ms ?? 0), ms === undefined ? 0 : 1);
  return all.slice(0, 1 + all.findLastIndex((value) => value > 0));
}

/** A step as it is shown, with means. `at` is its begin, Unix ms. */
export function pointOf(at: number, given: Bucket): HistoryPoint {
  const [ok = 0, failed = 0, indeterminate = 0] = given;
  const [resolveMs, connectMs, tlsMs, firstByteMs, totalMs] = PHASES.map((_, n) => meanOf(given, n));
  return { at, ok, failed, indeterminate, ...nullable({ resolveMs, connectMs, tlsMs, firstByteMs, totalMs }) };
}

type Means = Pick<HistoryPoint, (typeof PHASES)[number]>;

const nullable = (means: { [Phase in keyof Means]: Means[Phase] | undefined }): Means => ({
  resolveMs: means.resolveMs ?? null,
  connectMs: means.connectMs ?? null,
  tlsMs: means.tlsMs ?? null,
  firstByteMs: means.firstByteMs ?? null,
  totalMs: means.totalMs ?? null,
});

/** To a tenth of a millisecond. */
function meanOf(given: Bucket, phase: number): number | undefined {
  const first = OUTCOMES.length + 2 * phase;
  const [sumMs = 0, times = 0] = given.slice(first, first + 2);
  return times === 0 ? undefined : Math.round((10 * sumMs) / times) / 10;
}
