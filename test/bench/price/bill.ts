import { DAYS_A_MONTH, OBJECT_GB, PRICES } from "../../../shared/price/prices.ts";
import { CLASSES, type ClassName, type Counts, type ObjectCounts } from "./counts.ts";

const MONTH_S = DAYS_A_MONTH * 24 * 3_600;
/** What a healthy prober writes of history, whatever the round: its marks each five minutes, … */
const MARKS_S = 300;
/** … and a row for each quarter of an hour, hour and day, which is deleted once it is too old. */
const HISTORY_ROWS_A_DAY = 2 * (96 + 24 + 1);
/** Of all invocations and lines one in a hundred is logged: see wrangler.toml. */
const LOG_SAMPLING = 0.01;

/** What a fleet uses in a month of 30 days. */
export interface Month {
  requests: number;
  alarms: number;
  rowsWritten: number;
  rowsRead: number;
  awakeS: number;
  logLines: number;
  bytes: number;
  usd: number;
  /** USD of the CPU of dials in invocations of their own, which is not in `usd`. */
  dialCpuUsd: number;
  /** USD by what it is for, the most first. */
  parts: [string, number][];
}

/** What was used between two counts. Bytes are those of the later. */
export function difference(after: Counts, before: Counts): Counts {
  const objects = Object.fromEntries(
    CLASSES.map((name) => [name, objectDifference(after.objects[name], before.objects[name])]),
  ) as Record<ClassName, ObjectCounts>;
  const worker = { ...after.worker };
  for (const key of Object.keys(worker) as (keyof typeof worker)[]) worker[key] -= before.worker[key];
  return { objects, worker };
}

function objectDifference(after: ObjectCounts, before: ObjectCounts): ObjectCounts {
  const tables = Object.entries(after.rowsWritten);
  return {
    objects: after.objects,
    starts: after.starts - before.starts,
    calls: after.calls - before.calls,
    alarms: after.alarms - before.alarms,
    alarmLateMs: after.alarmLateMs - before.alarmLateMs,
    rowsRead: after.rowsRead - before.rowsRead,
    rowsWritten: Object.fromEntries(tables.map(([table, rows]) => [table, rows - (before.rowsWritten[table] ?? 0)])),
    awakeMs: after.awakeMs - before.awakeMs,
    startMs: after.startMs - before.startMs,
    logLines: after.logLines - before.logLines,
    bytes: after.bytes,
  };
}

/**
 * The month that continues as the window did. All counts are scaled, except the rows of history, which are rare and follow the
 * clock.
 * @param checkCpuMs CPU of one check
 */
export function monthOf(used: Counts, windowS: number, checkCpuMs: number): Month {
  const factor = MONTH_S / windowS;
  const parts = new Map<string, number>();
  const add = (part: string, usd: number) => parts.set(part, (parts.get(part) ?? 0) + usd);
  const month = { requests: 0, alarms: 0, rowsWritten: 0, rowsRead: 0, awakeS: 0, logLines: 0, bytes: 0 };
  for (const name of CLASSES) {
    const one = used.objects[name];
    const rows = rowsOf(name, one, windowS);
    const requests = (one.calls + one.alarms) * factor;
    month.requests += requests;
    month.alarms += one.alarms * factor;
    month.rowsWritten += rows.alarm + rows.other;
    month.rowsRead += one.rowsRead * factor;
    month.awakeS += (one.awakeMs / 1_000) * factor;
    month.logLines += (one.logLines + one.calls + one.alarms) * factor;
    month.bytes += one.bytes;
    add(`${name} awake`, (one.awakeMs / 1_000) * factor * OBJECT_GB * PRICES.gbSecond);
    add(`${name} alarm rows`, rows.alarm * PRICES.rowWritten);
    add(`${name} other rows`, rows.other * PRICES.rowWritten + one.rowsRead * factor * PRICES.rowRead);
    add(`${name} requests`, requests * PRICES.objectRequest);
  }
  const workerCalls = (used.worker.requests + used.worker.crons) * factor;
  month.logLines += (used.worker.logLines + used.worker.loopbackDials) * factor + workerCalls;
  add("Worker requests", workerCalls * PRICES.workerRequest);
  const dialCpuUsd = used.worker.loopbackDials * factor * checkCpuMs * PRICES.workerCpuMs;
  add("logs", month.logLines * LOG_SAMPLING * PRICES.logLine);
  add("stored", (month.bytes / 1e9) * PRICES.gbMonth);
  const sorted = [...parts].sort(([, a], [, b]) => b - a);
  return { ...month, dialCpuUsd, usd: sorted.reduce((sum, [, usd]) => sum + usd, 0), parts: sorted };
}

function rowsOf(name: ClassName, { rowsWritten, objects }: ObjectCounts, windowS: number) {
  const factor = MONTH_S / windowS;
  const { alarm = 0, ...others } = rowsWritten;
  if (name !== "Prober") return { alarm: alarm * factor, other: sumOf(others) * factor };
  const { marks = 0, history: _, ...rest } = others;
  // What is more than history alone makes of them is the work of outcomes that change.
  const byHistory = objects * Math.ceil(windowS / MARKS_S);
  const marksAMonth = marks > byHistory ? marks * factor : (objects * MONTH_S) / MARKS_S;
  const history = objects * HISTORY_ROWS_A_DAY * DAYS_A_MONTH;
  return { alarm: alarm * factor, other: sumOf(rest) * factor + marksAMonth + history };
}

/** Rows of all tables. */
export const sumOf = (rows: Record<string, number>): number => Object.values(rows).reduce((all, one) => all + one, 0);
