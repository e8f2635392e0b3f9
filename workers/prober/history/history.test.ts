import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, inject, it, vi } from "vitest";
import { HOUR, MINUTE, onShard, SECOND, T0, total } from "../../../test/support/history.ts";
import { assign, assignmentOf, byId, freshProber, inProber, probeOf, standIn } from "../../../test/support/prober.ts";
import type { ProberRpc } from "../../rpc.ts";
import { nextRoundAt } from "../schedule/round-schedule.ts";

const { named, closed } = inject("gateways");
const { good, unavailable } = named;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: T0 });
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

type Stub = ReturnType<typeof freshProber>;

const INTERVAL_MS = 60 * SECOND;

/** The next round that is due, over the wire. */
async function round(stub: Stub): Promise<void> {
  vi.setSystemTime(nextRoundAt(Date.now(), assignmentOf(1, [], INTERVAL_MS).shard));
  await runDurableObjectAlarm(stub);
}

const historyOf = (stub: Stub, probes: string[], span: "6h" | "7d" | "90d" = "6h") =>
  (stub as unknown as ProberRpc).history({ span, stepMs: MINUTE, probes });

/** Every written row is billed. The alarm's is not among these. */
function rowsOf(stub: Stub): Promise<{ level: number; at: number }[]> {
  return inProber(stub, (_, { storage }) =>
    storage.sql.exec<{ level: number; at: number }>("SELECT level, at FROM history ORDER BY level, at").toArray(),
  );
}

describe("rounds over the wire", () => {
  it("become points by the minute, over evictions, and a quarter that is over becomes a row", async () => {
    const stub = freshProber();
    await assign(
      stub,
      assignmentOf(1, [probeOf("up", good), probeOf("bad", unavailable), probeOf("shut", closed)], INTERVAL_MS),
    );
    for (let n = 0; n < 20; n += 1) {
      await standIn(stub);
      await round(stub);
      await evictDurableObject(stub);
    }
    await standIn(stub);
    await round(stub);
    const [up, bad, shut, none] = await historyOf(stub, ["up", "bad", "shut", "none"]);
    expect(total(up!.points)).toEqual({ ok: 21, failed: 0, indeterminate: 0 });
    expect(total(bad!.points)).toEqual({ ok: 0, failed: 21, indeterminate: 0 });
    expect(total(shut!.points)).toEqual({ ok: 0, failed: 21, indeterminate: 0 });
    expect(none).toEqual({ probe: "none", points: [] });
    expect(up!.points.map(({ at }) => at % MINUTE)).toEqual(Array.from({ length: 21 }, () => 0));
    // The clock stands still in a round here; what counts is which phases were reached, and which check was.
    expect(up!.points[0]).toMatchObject({ resolveMs: null, connectMs: 0, tlsMs: null, firstByteMs: 0, totalMs: 0 });
    expect(bad!.points[0]).toMatchObject({ connectMs: 0, firstByteMs: 0, totalMs: null });
    expect(shut!.points[0]).toMatchObject({ connectMs: null, totalMs: null });
    expect(await rowsOf(stub)).toEqual([{ level: 0, at: T0 }]);
  });

  it("go on when history breaks, with the marks stored", async () => {
    const stub = freshProber();
    await assign(stub, assignmentOf(1, [probeOf("bad", unavailable)], INTERVAL_MS));
    await inProber(stub, (_, { storage }) => storage.sql.exec("DROP TABLE history").rowsWritten);
    vi.spyOn(console, "error").mockReturnValue();
    let failures: number | undefined;
    for (let n = 0; n < 18; n += 1) {
      const reports = await standIn(stub);
      await round(stub);
      failures = byId(reports[0]).bad?.counts.failures;
      await evictDurableObject(stub);
    }
    expect(failures).toBe(4);
  });

  it("leave nothing of a prober that was never assigned anything, though it is asked", async () => {
    const stub = freshProber();
    expect(await historyOf(stub, ["a"])).toEqual([]);
    const tables = await inProber(stub, (_, { storage }) =>
      storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'").toArray(),
    );
    expect(tables).toEqual([]);
  });
});

describe("what history costs", () => {
  it("is 21 rows in an hour of a healthy shard at 30 s, and 22 after a week, whose memory is lost between any two rounds", async () => {
    await onShard({ intervalMs: 30 * SECOND, ids: ["a", "b", "c"] }, (bench) => {
      const outcomes = Object.fromEntries(bench.probes.map(({ id }) => [id, "ok" as const]));
      const hourOf = () => {
        const rows = countRows(bench.storage.sql);
        const until = bench.now + HOUR;
        while (bench.now < until) {
          bench.evict();
          bench.round(outcomes);
        }
        return rows();
      };
      const hours = Array.from({ length: 9 }, hourOf);
      // 12 of the open row, 4 quarters, 1 hour; and, once there are old ones, 4 quarters that go.
      expect(hours.slice(1, 5)).toEqual([17, 17, 17, 17]);
      expect(hours.slice(8)).toEqual([21]);
    });
  });

  it("is nothing more than the marks when an outcome changes in each round", async () => {
    await onShard({}, (bench) => {
      const rows = countRows(bench.storage.sql);
      for (let n = 0; n < 28; n += 1) {
        bench.evict();
        bench.round({ a: n % 2 === 0 ? "ok" : "failed" });
      }
      expect(rows()).toBe(28);
    });
  });
});

describe("another release", () => {
  it("that knows no history runs on the tables of this one, and this one goes on after it", async () => {
    await onShard({}, (bench) => {
      for (let n = 0; n < 35; n += 1) bench.round({ a: "ok" });
      const { sql } = bench.storage;
      // As the release before wrote its marks.
      const { body } = sql.exec<{ body: string }>("SELECT body FROM marks").one();
      sql.exec("INSERT OR REPLACE INTO marks (one, body) VALUES (1, ?)", body);
      bench.evict();
      bench.round({ a: "ok" });
      bench.evict();
      bench.round({ a: "ok" });
      expect(total(bench.points("6h", "a")).ok).toBe(30 + 2);
    });
  });

  it("without the tables is brought up to this one, its marks as they were", async () => {
    await onShard({}, (bench) => {
      for (let n = 0; n < 3; n += 1) bench.round({ a: "failed" });
      const { sql } = bench.storage;
      sql.exec("DROP TABLE history");
      for (const column of ["history", "budget"]) sql.exec(`ALTER TABLE marks DROP COLUMN ${column}`);
      sql.exec("UPDATE schema_version SET version = 1");
      bench.evict();
      expect(bench.work.byAge()[0]?.counts).toMatchObject({ failures: 3, says: "Unhealthy" });
      bench.round({ a: "ok" });
      expect(total(bench.points("6h", "a"))).toMatchObject({ ok: 1, failed: 0 });
    });
  });
});

/** Counts the rows that statements write from here on, until it is asked. */
function countRows(sql: SqlStorage): () => number {
  const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
  const exec = sql.exec.bind(sql);
  const counted = (...given: Parameters<typeof exec>) => {
    const cursor = exec(...given);
    cursors.push(cursor);
    return cursor;
  };
  Object.defineProperty(sql, "exec", { configurable: true, value: counted });
  return () => {
    Reflect.deleteProperty(sql, "exec");
    return cursors.reduce((sum, cursor) => sum + cursor.rowsWritten, 0);
  };
}
