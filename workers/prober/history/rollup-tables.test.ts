import { describe, expect, it, vi } from "vitest";
import { DAY, HOUR, MINUTE, onShard, type ShardBench, T0, total } from "../../../test/support/history.ts";
import { probeOf } from "../../../test/support/prober.ts";

describe("100 days of rounds", () => {
  it("stay within the spans that are kept, in few rows, and each span says what was seen in it", async () => {
    await onShard({ intervalMs: 10 * MINUTE, ids: ["a", "b"] }, (bench) => {
      const most = runFor(bench, 100 * DAY);
      // The open hour and day, and the batch that goes next, come to those of the span.
      expect(most).toEqual(
        [6 * 4 + 4 + 1, 7 * 24 + 1, 90 + 1].map((rows) => expect.toSatisfy((n: number) => n >= rows - 4 && n <= rows)),
      );
      expect(Math.max(...bench.rows().map(({ characters }) => characters))).toBeLessThan(4_000);
      for (const span of ["6h", "7d", "90d"] as const) {
        const spanMs = { "6h": 6 * HOUR, "7d": 7 * DAY, "90d": 90 * DAY }[span];
        const { ok, failed } = total(bench.points(span, "a"));
        expect([span, ok, failed]).toEqual([
          span,
          expect.toSatisfy((n) => Math.abs(n - spanMs / (10 * MINUTE)) <= 6),
          0,
        ]);
      }
      expect(total(bench.points("90d", "b")).failed).toBe(9 * 6);
      const down = bench.points("90d", "b").filter(({ failed }) => failed > 0);
      expect(down.map(({ at, failed }) => [(at - T0) % DAY < 2 * HOUR, failed <= 6])).toEqual(
        down.map(() => [true, true]),
      );
    });
  }, 120_000);
});

describe("spans", () => {
  it("say the same of the newest hours, however finely, and what is not rolled up yet", async () => {
    await onShard({}, (bench) => {
      for (let n = 0; n < 5 * 120 + 7; n += 1) {
        bench.evict();
        bench.round({ a: n % 100 === 0 ? "failed" : "ok" });
      }
      const said = (["6h", "7d", "90d"] as const).map((span) => total(bench.points(span, "a")));
      expect(said).toEqual(said.map(() => ({ ok: 5 * 120, failed: 7, indeterminate: 0 })));
      for (const [span, stepMs] of [
        ["6h", MINUTE],
        ["7d", 15 * MINUTE],
        ["90d", HOUR],
      ] as const) {
        const times = bench.points(span, "a").map(({ at }) => at);
        expect(times).toEqual(times.toSorted((a, b) => a - b).map((at) => at - (at % stepMs)));
        expect(new Set(times).size).toBe(times.length);
      }
      expect(bench.points("6h", "a", 4 * MINUTE).every(({ at }) => at % (4 * MINUTE) === 0)).toBe(true);
      expect(total(bench.points("6h", "a", 4 * MINUTE))).toEqual(said[0]);
    });
  });

  it("are not cut by a pause of days: what was whole before it is rolled up after it", async () => {
    await onShard({ intervalMs: MINUTE }, (bench) => {
      for (let n = 0; n < 130; n += 1) bench.round({ a: "ok" });
      bench.now += 3 * DAY;
      for (let n = 0; n < 70; n += 1) bench.round({ a: "ok" });
      expect(bench.points("6h", "a")).toHaveLength(70);
      expect(total(bench.points("7d", "a")).ok).toBe(200);
      expect(total(bench.points("90d", "a")).ok).toBe(200);
      expect(bench.rows().filter(({ level, at }) => level === 2 && at < T0 + DAY)).toHaveLength(1);
    });
  });

  it("forget nothing when the clock is put back over the end of a quarter", async () => {
    await onShard({}, (bench) => {
      for (let n = 0; n < 31; n += 1) bench.round({ a: "ok" });
      bench.now -= 2 * MINUTE;
      for (let n = 0; n < 10; n += 1) bench.round({ a: "ok" });
      expect(total(bench.points("6h", "a")).ok).toBe(41);
    });
  });
});

describe("rows", () => {
  it("hold the latencies of the rounds that wrote them, as means", async () => {
    await onShard({}, (bench) => {
      for (let n = 0; n < 60; n += 1) {
        bench.evict();
        bench.round({ a: "ok" });
      }
      const measured = bench.points("6h", "a").filter(({ totalMs }) => totalMs !== null);
      expect(measured.length).toBeGreaterThanOrEqual(6);
      expect(
        new Set(
          measured.map(({ connectMs, tlsMs, firstByteMs, totalMs }) => [connectMs, tlsMs, firstByteMs, totalMs].join()),
        ),
      ).toEqual(new Set(["100,,120,130"]));
    });
  });

  it("that cannot be read are left out, open or closed, and stop nothing", async () => {
    const error = vi.spyOn(console, "error").mockReturnValue();
    await onShard({}, (bench) => {
      for (let n = 0; n < 3 * 30 + 10; n += 1) bench.round({ a: "ok" });
      const [first, second] = bench.rows();
      bench.storage.sql.exec("UPDATE history SET body = '{' WHERE at = ?", first!.at);
      bench.storage.sql.exec(`UPDATE history SET body = '{"a":[[0,-1]]}' WHERE at = ?`, second!.at);
      bench.storage.sql.exec("UPDATE marks SET history = 'nonsense'");
      bench.evict();
      expect(total(bench.points("6h", "a")).ok).toBe(30);
      for (let n = 0; n < 120; n += 1) bench.round({ a: "ok" });
      expect(total(bench.points("6h", "a")).ok).toBe(30 + 120);
      expect(total(bench.points("90d", "a")).ok).toBeGreaterThanOrEqual(120);
    });
    expect(error).toHaveBeenCalled();
    error.mockRestore();
  });

  it("stay small whatever comes and goes: of many probes those that were seen last are kept", async () => {
    await onShard({ ids: [] }, (bench) => {
      for (let n = 0; n < 40; n += 1) {
        const ids = Array.from({ length: 30 }, (_, k) => `${n}-${k}`.padEnd(800, "x"));
        bench.assign(ids.map((id) => probeOf(id, 80)));
        bench.round(Object.fromEntries(ids.map((id) => [id, "ok" as const])));
      }
      expect(Math.max(...bench.rows().map(({ characters }) => characters))).toBeLessThan(150_000);
      bench.evict();
      expect(total(bench.points("6h", "39-0".padEnd(800, "x"))).ok).toBe(1);
    });
  });

  it("are dropped with the last probe of a shard, and those of one probe with their age", async () => {
    await onShard({ ids: ["a", "b"] }, (bench) => {
      for (let n = 0; n < 40; n += 1) bench.round({ a: "ok", b: "ok" });
      bench.assign([probeOf("a", 80)]);
      for (let n = 0; n < 4; n += 1) {
        bench.evict();
        bench.round({ a: "ok" });
      }
      expect(total(bench.points("6h", "b")).ok).toBe(40);
      bench.assign([]);
      expect(bench.rows()).toEqual([]);
      bench.evict();
      expect(bench.points("90d", "a")).toEqual([]);
      bench.assign([probeOf("a", 80)]);
      bench.round({ a: "failed" });
      expect(total(bench.points("6h", "a"))).toEqual({ ok: 0, failed: 1, indeterminate: 0 });
    });
  });

  it("of a broken history are not written, and the marks are", async () => {
    const error = vi.spyOn(console, "error").mockReturnValue();
    await onShard({}, (bench) => {
      bench.round({ a: "ok" });
      bench.storage.sql.exec("DROP TABLE history");
      for (let n = 0; n < 60; n += 1) {
        bench.evict();
        bench.round({ a: "failed" });
      }
      const body = bench.storage.sql.exec<{ body: string }>("SELECT body FROM marks").one().body;
      expect(JSON.parse(body)).toMatchObject({ a: { counts: { failures: 3, says: "Unhealthy" } } });
    });
    error.mockRestore();
  });
});

/** Rounds in which b is down for the first hour of every tenth day; gives the most rows of each level that there were. */
function runFor(bench: ShardBench, durationMs: number): number[] {
  let most = [0, 0, 0];
  while (bench.now < T0 + durationMs) {
    if (bench.now % HOUR < 10 * MINUTE) bench.evict();
    const sinceMs = bench.now - T0;
    const isDown = Math.floor(sinceMs / DAY) % 10 === 0 && sinceMs % DAY < HOUR;
    bench.round({ a: "ok", b: isDown ? "failed" : "ok" });
    if (bench.now % HOUR < 50 * MINUTE) continue;
    const rows = bench.rows();
    most = most.map((count, level) => Math.max(count, rows.filter((row) => row.level === level).length));
  }
  return most;
}
