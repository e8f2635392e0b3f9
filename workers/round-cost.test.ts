import { evictDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, inject, it, vi } from "vitest";
import { onBench, REGIONS_3, SECOND, share } from "../test/support/coordinator/bench.ts";
import { assign, assignmentOf, freshProber, inProber, probeOf, standIn } from "../test/support/prober.ts";

/*
 * What a round may cost (docs/design/prober.md): an alarm and its row, a report, and nothing else. Exceptions are the marks each
 * five minutes, and a row for each finished quarter of an hour. Rows are counted by the cursors, which is how they are billed: a
 * row of a table with an index of its own is two.
 */

const { good, unavailable } = inject("gateways").named;
const INTERVAL_MS = 30_000;
const CONFIRM_MS = 3_000;
const MINUTE_MS = 60_000;

/** Rows written, by table; `alarm` has those of alarms that were set. */
type Rows = Record<string, number>;

/** Counts what is written from now on, until the storage's object loses its memory. */
function countRows(storage: DurableObjectStorage): () => Rows {
  const { sql } = storage;
  const [exec, setAlarm] = [sql.exec.bind(sql), storage.setAlarm.bind(storage)];
  let alarms = 0;
  let cursors: { table: string; cursor: SqlStorageCursor<never> }[] = [];
  Object.assign(sql, {
    exec: (query: string, ...bindings: unknown[]) => {
      const cursor = exec<never>(query, ...bindings);
      cursors.push({ table: /(?:INTO|UPDATE|FROM) (\w+)/.exec(query)?.[1] ?? query, cursor });
      return cursor;
    },
  });
  Object.assign(storage, {
    setAlarm: (at: number) => {
      alarms += 1;
      return setAlarm(at);
    },
  });
  return () => {
    const rows: Rows = alarms > 0 ? { alarm: alarms } : {};
    for (const { table, cursor } of cursors) {
      if (cursor.rowsWritten > 0) rows[table] = (rows[table] ?? 0) + cursor.rowsWritten;
    }
    alarms = 0;
    cursors = [];
    return rows;
  };
}

function sumOf(rounds: readonly Rows[]): Rows {
  const all: Rows = {};
  for (const [table, rows] of rounds.flatMap((round) => Object.entries(round))) all[table] = (all[table] ?? 0) + rows;
  return all;
}

/**
 * A prober of a few probes, the first of them on a port of its own. `rounds` runs what its alarm is set for, and returns the
 * cost.
 */
async function startProber({ first = good, isEvicted = false }: { first?: number; isEvicted?: boolean }) {
  const stub = freshProber();
  const change = { confirmIntervalMs: CONFIRM_MS };
  const probes = ["a", "b", "c", "d"].map((id, at) => probeOf(id, at === 0 ? first : good, change));
  await assign(stub, assignmentOf(1, probes, INTERVAL_MS));
  let reports = await standIn(stub);
  let rowsSoFar = await inProber(stub, (_, { storage }) => countRows(storage));
  const round = async () => {
    if (isEvicted) {
      await evictDurableObject(stub);
      reports = await standIn(stub);
      rowsSoFar = await inProber(stub, ({ meter }, { storage }) => {
        expect(meter.take().rowsWritten).toBe(0);
        return countRows(storage);
      });
    }
    reports.length = 0;
    return inProber(stub, async (prober, { storage }) => {
      const scheduledTime = (await storage.getAlarm()) ?? Number.NaN;
      await storage.deleteAlarm();
      vi.setSystemTime(scheduledTime);
      await prober.alarm({ scheduledTime, retryCount: 0, isRetry: false });
      return { at: scheduledTime, rows: rowsSoFar(), reports: reports.length };
    });
  };
  const rounds = async (count: number) => {
    const all = [];
    for (let n = 0; n < count; n += 1) all.push(await round());
    return all;
  };
  return { rounds };
}

describe("a round of a prober", () => {
  beforeEach(() => {
    // A minute past the next hour: so many rounds end no hour. No alarm comes by itself, for the time is ahead of the clock.
    const hour = 60 * MINUTE_MS;
    vi.useFakeTimers({ toFake: ["Date"], now: Math.ceil(Date.now() / hour) * hour + MINUTE_MS });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each([
    // Twenty minutes, one of which ends a quarter of an hour.
    { memory: "in memory", isEvicted: false, count: 40, mostMarks: 5, history: { history: 1 } },
    { memory: "evicted between any two", isEvicted: true, count: 12, mostMarks: 2, history: {} },
  ])("that is healthy costs an alarm, its row and a report: $memory", async ({ isEvicted, ...most }) => {
    const { rounds } = await startProber({ isEvicted });
    await rounds(2);
    const seen = await rounds(most.count);
    expect(new Set(seen.map(({ reports }) => reports))).toEqual(new Set([1]));
    for (const { rows } of seen) expect(rows.alarm).toBe(1);
    const { alarm: _, marks = 0, ...others } = sumOf(seen.map(({ rows }) => rows));
    expect(marks).toBeLessThanOrEqual(most.mostMarks);
    expect(others).toEqual(most.history);
  });

  it.each([
    { memory: "in memory", isEvicted: false },
    { memory: "evicted between any two", isEvicted: true },
  ])(
    "that confirms a failure costs one row more, and one that is settled nothing more: $memory",
    async ({ isEvicted }) => {
      const { rounds } = await startProber({ first: unavailable, isEvicted });
      const confirming = await rounds(3);
      for (const { rows, reports } of confirming) {
        expect(rows).toEqual({ alarm: 1, marks: 1 });
        expect(reports).toBe(1);
      }
      const settled = await rounds(8);
      for (const { reports } of settled) expect(reports).toBe(1);
      expect(sumOf(settled.map(({ rows }) => rows))).toEqual({ alarm: 8 });
    },
  );
});

describe("a round that a coordinator hears of", () => {
  it.each([
    { fleet: "healthy", failing: [] },
    { fleet: "failing for long", failing: ["203.0.113.10"] },
  ])("costs it nothing but a row a minute, and nobody is told: $fleet", async ({ failing }) => {
    await onBench(async (bench, storage) => {
      bench.put("east", 1, [share(["203.0.113.10", "203.0.113.20"], { check: { interval: "30s" } })]);
      bench.probers.outcome = (leaf) => (failing.includes(leaf) ? "ConnectFailed" : "Ok");
      // Each region at its own time, ten seconds apart: so a coordinator of few probes stays in memory.
      const minute = async () => {
        for (let n = 0; n < 6; n += 1) {
          bench.now += 10 * SECOND;
          bench.round(REGIONS_3[n % 3] ?? "weur");
        }
        bench.coordination.heartbeat();
        await bench.settle();
      };
      for (let n = 0; n < 5; n += 1) await minute();
      const calls: string[] = [];
      bench.onCall = (kind) => calls.push(kind);
      const rows = countRows(storage);
      for (let n = 0; n < 5; n += 1) {
        await minute();
        expect(rows()).toEqual({ seen: 1 });
      }
      expect(calls).toEqual([]);
    });
  });
});
