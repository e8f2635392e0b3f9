import { abortAllDurableObjects, evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, describe, expect, inject, it, vi } from "vitest";
import {
  assign,
  assignmentOf,
  brief,
  byId,
  freshProber,
  inProber,
  probeOf,
  standIn,
} from "../../test/support/prober.ts";

const gateways = inject("gateways");
const { good, silent, unavailable } = gateways.named;

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("a round", () => {
  it("asks every probe, counts, and reports whole state with the assignment it ran under", async () => {
    const stub = freshProber();
    await assign(stub, assignmentOf(7, [probeOf("good", good), probeOf("bad", unavailable)]));
    const reports = await standIn(stub);
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    expect(reports).toMatchObject([{ version: 1, assignment: { epoch: 1, n: 7 }, shard: { region: "weur" } }]);
    expect(byId(reports[0])).toMatchObject({
      good: { counts: { failures: 0, successes: 1, says: "Pending" }, observation: { reason: "Ok", httpStatus: 200 } },
      bad: { counts: { failures: 1, successes: 0 }, observation: { reason: "UnexpectedStatus", httpStatus: 503 } },
    });
  });

  it("says the same when the object is evicted between any two rounds: counts go on from the thresholds at most", async () => {
    const stub = freshProber();
    await assign(stub, assignmentOf(1, [probeOf("good", good), probeOf("bad", unavailable)]));
    const words: unknown[] = [];
    let epoch: number | undefined;
    let n = 0;
    for (let round = 1; round <= 5; round += 1) {
      const reports = await standIn(stub);
      await runDurableObjectAlarm(stub);
      const [report] = reports;
      const { good: up, bad: down } = byId(report);
      words.push([up, down].map((word) => `${word?.counts.failures}/${word?.counts.successes} ${word?.counts.says}`));
      expect(report?.number.epoch).toBe(epoch ?? report?.number.epoch);
      expect(report?.number.n).toBeGreaterThan(n);
      epoch = report?.number.epoch;
      n = report?.number.n ?? 0;
      await evictDurableObject(stub);
    }
    expect(words).toEqual([
      ["0/1 Pending", "1/0 Pending"],
      ["0/2 Healthy", "2/0 Pending"],
      ["0/3 Healthy", "3/0 Unhealthy"],
      ["0/3 Healthy", "4/0 Unhealthy"],
      ["0/3 Healthy", "4/0 Unhealthy"],
    ]);
  });

  it("writes one row while counts change, and none beyond its alarm once nothing does", async () => {
    // Or a quarter of an hour may end meanwhile, and history would write it.
    vi.useFakeTimers({ toFake: ["Date"] });
    const stub = freshProber();
    await assign(
      stub,
      assignmentOf(1, [probeOf("good", good), probeOf("bad", unavailable), probeOf("mute", silent, brief)]),
    );
    await standIn(stub);
    const written: number[] = [];
    for (let round = 0; round < 6; round += 1) {
      const rows = await countRows(stub);
      await runDurableObjectAlarm(stub);
      written.push(await rows());
    }
    expect(written).toEqual([1, 1, 1, 0, 0, 0]);
  });

  it("is over before its history is read, so that reading it hurts no check", async () => {
    const stub = freshProber();
    await assign(stub, assignmentOf(1, [probeOf("mute", silent, brief)]));
    const reports = await standIn(stub);
    const points = await inProber(stub, async (prober) => {
      const round = prober.alarm();
      const seen = await prober.history({ span: "6h", stepMs: 60_000, probes: ["mute"] });
      await round;
      return seen;
    });
    expect(reports).toHaveLength(1);
    expect(points).toMatchObject([{ probe: "mute", points: [{ ok: 0, failed: 1 }] }]);
  });

  it("that is cut off by a restart counts nothing, and the next counts once", async () => {
    const name = `weur/0/test/${crypto.randomUUID()}`;
    const assignment = assignmentOf(1, [probeOf("mute", silent, brief), probeOf("good", good)]);
    const words: unknown[] = [];
    for (let n = 0; n < 3; n += 1) {
      const stub = freshProber(name);
      await assign(stub, assignment);
      const cut = runDurableObjectAlarm(stub).catch(() => undefined);
      await abortAllDurableObjects();
      await cut;
      const again = freshProber(name);
      await assign(again, assignment);
      const reports = await standIn(again);
      await runDurableObjectAlarm(again);
      words.push(byId(reports.at(-1)).mute?.counts.failures);
    }
    expect(words).toEqual([1, 2, 3]);
  });

  it("stays alive through 20 rounds that throw, and heals", async () => {
    const stub = freshProber();
    await assign(stub, assignmentOf(1, [probeOf("good", good)]));
    const reports = await standIn(stub);
    vi.spyOn(console, "error").mockReturnValue();
    await inProber(stub, (prober, state) => {
      const broken = () => {
        throw new Error("storage is broken");
      };
      Object.assign(prober.dependencies, { probeInLoopback: broken, connect: broken });
      Object.assign(state.storage, { sync: broken });
    });
    for (let tick = 0; tick < 20; tick += 1) expect(await runDurableObjectAlarm(stub)).toBe(true);
    await evictDurableObject(stub);
    const healed = await standIn(stub);
    expect(await runDurableObjectAlarm(stub)).toBe(true);
    expect(byId(reports[19])).toMatchObject({
      good: { counts: { failures: 0 }, observation: { reason: "InternalError" } },
    });
    expect(byId(healed[0])).toMatchObject({ good: { counts: { successes: 1 }, observation: { reason: "Ok" } } });
  });
});

describe("an assignment", () => {
  it("that adds a probe leaves the others and the alarm untouched, and an older one is dropped", async () => {
    const stub = freshProber();
    const reports = await standIn(stub);
    await assign(stub, assignmentOf(1, [probeOf("a", good)]));
    await runDurableObjectAlarm(stub);
    const alarmAt = await alarmOf(stub);
    expect(await assign(stub, assignmentOf(3, [probeOf("a", good), probeOf("b", good)]))).toEqual({
      number: { epoch: 1, n: 3 },
    });
    expect(await assign(stub, assignmentOf(2, []))).toEqual({ number: { epoch: 1, n: 3 } });
    expect(await alarmOf(stub)).toBe(alarmAt);
    await runDurableObjectAlarm(stub);
    expect(byId(reports[1])).toMatchObject({ a: { counts: { successes: 2 } }, b: { counts: { successes: 1 } } });
  });

  it("arriving in a round neither restarts nor recounts what is in flight", async () => {
    const stub = freshProber();
    const reports = await standIn(stub);
    await assign(stub, assignmentOf(1, [probeOf("a", silent, brief)]));
    const round = runDurableObjectAlarm(stub);
    await assign(stub, assignmentOf(2, [probeOf("a", silent, brief), probeOf("b", good)]));
    await round;
    expect(reports).toHaveLength(1);
    expect(byId(reports[0])).toMatchObject({ a: { counts: { failures: 1 } } });
    expect(reports[0]?.assignment).toEqual({ epoch: 1, n: 2 });
    await evictDurableObject(stub);
    const later = await standIn(stub);
    await runDurableObjectAlarm(stub);
    expect(byId(later[0])).toMatchObject({ a: { counts: { failures: 2 } }, b: { counts: { successes: 1 } } });
  });

  it("drops the result of a probe that changed while it was asked, and starts the new revision anew", async () => {
    const stub = freshProber();
    const reports = await standIn(stub);
    await assign(stub, assignmentOf(1, [probeOf("a", silent, brief)]));
    const round = runDurableObjectAlarm(stub);
    await assign(stub, assignmentOf(2, [probeOf("a", good)]));
    await round;
    expect(byId(reports[0])).toMatchObject({ a: { revision: `${good}`, counts: { failures: 0, successes: 0 } } });
  });

  it("uses carried counts only where it has none of the revision, and applies new thresholds to those it has", async () => {
    const stub = freshProber();
    const reports = await standIn(stub);
    const carried = { failures: 0, successes: 2, says: "Healthy" as const };
    await assign(stub, assignmentOf(1, [probeOf("a", unavailable, { carried })]));
    await runDurableObjectAlarm(stub);
    expect(byId(reports[0])).toMatchObject({ a: { counts: { failures: 1, says: "Healthy" } } });
    await assign(stub, assignmentOf(2, [probeOf("a", unavailable, { carried, failureThreshold: 0, timeoutMs: 400 })]));
    await runDurableObjectAlarm(stub);
    expect(byId(reports[1])).toMatchObject({ a: { counts: { failures: 2, says: "Unhealthy" } } });
  });

  it("that is empty ends the work and the alarm", async () => {
    const stub = freshProber();
    await assign(stub, assignmentOf(1, [probeOf("a", good)]));
    expect(await alarmOf(stub)).toBeGreaterThan(Date.now());
    await assign(stub, assignmentOf(2, []));
    expect(await alarmOf(stub)).toBeNull();
    expect(await runDurableObjectAlarm(stub)).toBe(false);
  });

  it("re-arms an alarm that is lost, or two hours in the past or ahead, though it is not newer", async () => {
    const stub = freshProber();
    const assignment = assignmentOf(1, [probeOf("a", good)]);
    await assign(stub, assignment);
    for (const broken of [null, Date.now() - 7_200_000, Date.now() + 7_200_000]) {
      await inProber(stub, (_, { storage }) => {
        Object.assign(storage, { getAlarm: () => Promise.resolve(broken) });
        return storage.deleteAlarm();
      });
      await assign(stub, assignment);
      await evictDurableObject(stub);
      expect(await alarmOf(stub)).toBeGreaterThan(Date.now());
    }
  });
});

describe("the coordinator", () => {
  it("that throws is asked again with the same number, and its newer assignment is taken", async () => {
    const stub = freshProber();
    const numbers: unknown[] = [];
    vi.spyOn(console, "warn").mockReturnValue();
    await assign(stub, assignmentOf(1, [probeOf("a", good)]));
    await standIn(stub, {
      sendReport: async (report) => {
        numbers.push(report.number);
        if (numbers.length === 1) throw new Error("reset because its code was updated");
        return { assignment: assignmentOf(2, [probeOf("a", good), probeOf("b", good)]) };
      },
    });
    await runDurableObjectAlarm(stub);
    expect(numbers).toHaveLength(2);
    expect(numbers[1]).toEqual(numbers[0]);
    await evictDurableObject(stub);
    expect(await assign(stub, assignmentOf(2, []))).toEqual({ number: { epoch: 1, n: 2 } });
    const reports = await standIn(stub);
    await runDurableObjectAlarm(stub);
    expect(Object.keys(byId(reports[0]))).toEqual(["a", "b"]);
  });
});

type Stub = ReturnType<typeof freshProber>;

function alarmOf(stub: Stub): Promise<number | null> {
  return inProber(stub, (_, { storage }) => storage.getAlarm());
}

/** Counts the rows that statements write from here on. */
async function countRows(stub: Stub): Promise<() => Promise<number>> {
  const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
  await inProber(stub, (_, { storage }) => {
    const { sql } = storage;
    const exec = sql.exec.bind(sql);
    Object.defineProperty(sql, "exec", {
      configurable: true,
      value: (...given: Parameters<typeof exec>) => {
        const cursor = exec(...given);
        cursors.push(cursor);
        return cursor;
      },
    });
  });
  return () =>
    inProber(stub, (_, { storage }) => {
      Reflect.deleteProperty(storage.sql, "exec");
      return cursors.reduce((sum, cursor) => sum + cursor.rowsWritten, 0);
    });
}
