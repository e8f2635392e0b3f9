import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, inject, it } from "vitest";
import { NO_USAGE, type UsageSince } from "../../shared/model/usage.ts";
import { assign, assignmentOf, freshProber, inProber, probeOf, standIn } from "../../test/support/prober.ts";
import type { Env } from "../env.ts";
import { Meter } from "./meter.ts";
import { MeteredObject } from "./metered-object.ts";

const bindings = env as unknown as Env;

/** A meter over the storage of an object of its own, with a clock that the test moves. */
async function metered(test: (meter: Meter, clock: { now: number }) => Promise<void> | void): Promise<void> {
  await runInDurableObject(bindings.COORDINATOR.getByName(`meter-${crypto.randomUUID()}`), async (_, { storage }) => {
    const clock = { now: 1_000 };
    await test(new Meter(storage, () => clock.now), clock);
  });
}

describe("the meter", () => {
  it("counts the rows that statements say they read and wrote, also of those that are read later", async () => {
    await metered((meter) => {
      const { sql } = meter.storage;
      sql.exec("CREATE TABLE t (one INTEGER PRIMARY KEY, value TEXT)");
      meter.take();
      const cursors = [1, 2, 3].map((one) => sql.exec("INSERT INTO t VALUES (?, 'a')", one));
      const lazy = sql.exec<{ one: number }>("SELECT one FROM t");
      expect([...lazy].map(({ one }) => one)).toEqual([1, 2, 3]);
      const rowsWritten = cursors.reduce((sum, cursor) => sum + cursor.rowsWritten, 0);
      const rowsRead = lazy.rowsRead + cursors.reduce((sum, cursor) => sum + cursor.rowsRead, 0);
      expect(meter.take()).toEqual({ ...NO_USAGE, rowsRead, rowsWritten });
      expect([rowsWritten, lazy.rowsRead]).toEqual([3, 3]);
    });
  });

  it("counts more statements than it keeps", async () => {
    await metered((meter) => {
      const { sql } = meter.storage;
      sql.exec("CREATE TABLE t (one INTEGER PRIMARY KEY)");
      meter.take();
      meter.storage.transactionSync(() => {
        for (let one = 0; one < 1_000; one += 1) sql.exec("INSERT INTO t VALUES (?)", one);
      });
      expect(meter.take()).toMatchObject({ rowsWritten: 1_000 });
    });
  });

  it("counts an alarm that is set or taken away as a row, and one that another memory has set when it fires", async () => {
    await metered(async (meter) => {
      await meter.alarmed(async () => {});
      expect(meter.take()).toMatchObject({ requests: 1, rowsWritten: 1 });
      await meter.storage.setAlarm(Date.now() + 3_600_000);
      await meter.storage.deleteAlarm();
      await meter.alarmed(async () => {});
      expect(meter.take()).toMatchObject({ requests: 1, rowsWritten: 2 });
    });
  });

  it("is awake once for all that runs at the same time, and until now for what still runs", async () => {
    await metered(async (meter, clock) => {
      const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const works = [meter.ran(() => first.promise)];
      clock.now += 100;
      works.push(meter.ran(() => second.promise));
      clock.now += 100;
      first.resolve();
      await works[0];
      clock.now += 50;
      expect(meter.take()).toMatchObject({ requests: 2, awakeMs: 250, isFirst: true });
      clock.now += 50;
      second.resolve();
      await works[1];
      clock.now += 1_000;
      expect(meter.take()).toEqual({ ...NO_USAGE, awakeMs: 50 });
    });
  });

  it("ends with work that throws", async () => {
    await metered(async (meter, clock) => {
      const failing = meter.ran(async () => {
        clock.now += 7;
        throw new Error("no");
      });
      await expect(failing).rejects.toThrow("no");
      clock.now += 1_000;
      expect(meter.take()).toMatchObject({ requests: 1, awakeMs: 7 });
    });
  });
});

describe("an object", () => {
  class Own extends MeteredObject {
    async call(): Promise<void> {}
    override async alarm(): Promise<void> {}
  }
  /** As a bench stands before the product's class. */
  class Bench extends Own {
    override async call(): Promise<void> {
      await super.call();
    }
  }
  /** As a local runtime does. */
  class Runtime extends Bench {}

  it.each([
    ["a class without methods", Runtime],
    ["a class that calls it", Bench],
  ])("counts each call once behind %s", async (_, Class) => {
    const stub = bindings.NOTIFIER.getByName(`meter-${crypto.randomUUID()}`);
    await runInDurableObject(stub, async (_, state) => {
      const object = new Class(state, bindings);
      await object.call();
      await object.alarm();
      expect(object.meter.take()).toMatchObject({ requests: 2, rowsWritten: 1 });
    });
  });
});

describe("a prober", () => {
  it("tells with each report what its round has used, whole, also where it sleeps after each", async () => {
    const stub = freshProber();
    await assign(stub, assignmentOf(1, [probeOf("good", inject("gateways").named.good)]));
    const told: Partial<UsageSince>[] = [];
    for (let round = 1; round <= 5; round += 1) {
      await evictDurableObject(stub);
      const reports = await standIn(stub);
      await inProber(stub, (prober) => prober.alarm());
      const { rowsRead: _, awakeMs, ...rest } = reports[0]?.usage ?? { ...NO_USAGE, awakeMs: -1 };
      expect(awakeMs).toBeGreaterThanOrEqual(0);
      told.push(rest);
    }
    // Its alarm, and a row of marks while counts still change.
    const [changing, quiet] = [2, 1].map((rowsWritten) => ({ requests: 1, rowsWritten, isFirst: true }));
    expect(told).toEqual([changing, changing, quiet, quiet, quiet]);
  });

  it("that stays awake tells with its next report what came after the last, and each thing once", async () => {
    const stub = freshProber();
    const reports = await standIn(stub);
    await assign(stub, assignmentOf(1, [probeOf("good", inject("gateways").named.good)]));
    for (let round = 1; round <= 5; round += 1) await inProber(stub, (prober) => prober.alarm());
    const later = reports.slice(3).map(({ usage }) => usage);
    // The row is that of the alarm that the round before has set at its end.
    expect(later).toMatchObject([
      { requests: 1, rowsWritten: 1 },
      { requests: 1, rowsWritten: 1 },
    ]);
    expect(later.some((usage) => usage?.isFirst)).toBe(false);
  });
});
