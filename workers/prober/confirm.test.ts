import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Report } from "../../shared/model/messages/report.ts";
import type { Counts, Probe } from "../../shared/model/probe.ts";
import { outcomeOf, type Reason } from "../../shared/reason.ts";
import { assign, assignmentOf, byId, freshProber, inProber, probeOf, standIn } from "../../test/support/prober.ts";
import type { ProberRpc } from "../rpc.ts";
import type { ProberDependencies } from "./dependencies.ts";
import type { Connection } from "./dial/connection.ts";
import { nextRoundAt } from "./schedule/round-schedule.ts";

const CONFIRM_MS = 5_000;
const INTERVAL_MS = 60_000;
/** Far ahead, or the platform's own alarms would come. */
const T0 = Date.UTC(2100, 0, 1);
const SHARD = assignmentOf(1, [], INTERVAL_MS).shard;
const HEALTHY: Counts = { failures: 0, successes: 2, says: "Healthy" };
const UNHEALTHY: Counts = { failures: 3, successes: 0, says: "Unhealthy" };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: T0 });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

type Stub = ReturnType<typeof freshProber>;

/** Each has a port of its own, which scripts its answers. */
const memberOf = (id: string, port: number, change: Partial<Probe> = {}) =>
  probeOf(id, port, { confirmIntervalMs: CONFIRM_MS, carried: HEALTHY, ...change });

/** What each port answers, check by check; the last goes on. Leaves stay suspects, so that all is asked elsewhere. */
function script(answers: Record<number, Reason[]>): ProberDependencies["probeInLoopback"] {
  return ({ address, port }) => {
    const given = answers[port] ?? [];
    const reason = (given.length > 1 ? given.shift() : given[0]) ?? "Ok";
    return Promise.resolve({ reason, phases: { totalMs: 0 }, address });
  };
}

/** A dial that is refused. */
const refused = (): Connection => ({
  opened: Promise.reject(new Error("refused")),
  readable: new ReadableStream(),
  writable: new WritableStream(),
  close: async () => {},
});

const alarmOf = (stub: Stub) => inProber(stub, (_, { storage }) => storage.getAlarm());
const lookNow = (stub: Stub, probes: string[]) => (stub as unknown as ProberRpc).lookNow(probes);

/** The alarm comes at its time, as the platform says it; it is taken away first, or it would come again. */
async function wake(stub: Stub, lateMs = 0): Promise<void> {
  await inProber(stub, async (prober, { storage }) => {
    const scheduledTime = (await storage.getAlarm()) ?? Number.NaN;
    await storage.deleteAlarm();
    vi.setSystemTime(scheduledTime + lateMs);
    await prober.alarm({ scheduledTime, retryCount: 0, isRetry: false });
  });
}

/** Who was asked, how each stands, and whether it was at a round or how long after one. */
function told(report: Report | undefined): string {
  const asked = (report?.probes ?? []).filter(({ observation }) => observation !== undefined);
  const words = asked.map(({ id, observation, counts }) => {
    const outcome = outcomeOf(observation?.reason ?? "InternalError");
    return `${id} ${outcome} ${counts.failures}/${counts.successes} ${counts.says}`;
  });
  return words.join(", ");
}

async function assigned(
  probes: Probe[],
  answers: Record<number, Reason[]>,
): Promise<{ stub: Stub; reports: Report[] }> {
  const stub = freshProber();
  await assign(stub, assignmentOf(1, probes, INTERVAL_MS));
  return { stub, reports: await standIn(stub, { probeInLoopback: script(answers) }) };
}

/** When a wake is due, after the last round that was. */
const sinceRound = (at: number | null) => (at ?? Number.NaN) - (nextRoundAt(at ?? 0, SHARD) - INTERVAL_MS);

describe("a probe that begins to differ", () => {
  it.each([
    ["with memory kept", false],
    ["with memory lost before each wake", true],
  ])("is checked alone until it is settled, and rounds keep their phase, %s", async (_, isEvicted) => {
    const { stub, reports } = await assigned([memberOf("a", 1), memberOf("b", 2)], {});
    const answers = { 1: ["Ok", "ConnectFailed"] as Reason[] };
    const probeInLoopback = script(answers);
    const alarms: number[] = [];
    const all = [...reports];
    for (let n = 0; n < 5; n += 1) {
      if (isEvicted) await evictDurableObject(stub);
      const given = await standIn(stub, { probeInLoopback });
      alarms.push(sinceRound(await alarmOf(stub)));
      await wake(stub);
      all.push(...given);
    }
    expect(all.map(told)).toEqual([
      expect.stringMatching(/^a ok 0\/\d Healthy, b ok 0\/\d Healthy$/),
      expect.stringMatching(/^a failed 1\/0 Healthy, b ok 0\/\d Healthy$/),
      "a failed 2/0 Healthy",
      "a failed 3/0 Unhealthy",
      expect.stringMatching(/^a failed 4\/0 Unhealthy, b ok 0\/\d Healthy$/),
    ]);
    expect(alarms).toEqual([0, 0, CONFIRM_MS, 2 * CONFIRM_MS, 0]);
    expect(all.map(({ roundAt }) => roundAt - (all[0]?.roundAt ?? 0))).toEqual(
      [0, 1, 1, 1, 2].map((n) => n * INTERVAL_MS),
    );
    expect(all.every(({ lateMs }) => lateMs === 0)).toBe(true);
    expect(all.every(({ probes }) => probes.length === 2)).toBe(true);
  });

  it("is settled the other way round as fast, and one that only tripped has no more than its turn", async () => {
    const probes = [memberOf("up", 1, { carried: UNHEALTHY }), memberOf("trips", 2)];
    const { stub, reports } = await assigned(probes, { 2: ["ConnectFailed", "Ok"] });
    for (let n = 0; n < 3; n += 1) await wake(stub);
    expect(reports.map(told)).toEqual([
      "up ok 0/1 Unhealthy, trips failed 1/0 Healthy",
      "up ok 0/2 Healthy, trips ok 0/1 Healthy",
      "up ok 0/3 Healthy, trips ok 0/2 Healthy",
    ]);
    expect(sinceRound(await alarmOf(stub))).toBe(0);
  });

  it("is asked where suspects are, so that it takes no slot of those that are proven", async () => {
    const { stub, reports } = await assigned([memberOf("a", 1)], {});
    const asked: string[] = [];
    await inProber(stub, (prober) => {
      prober.dependencies.probeInLoopback = async ({ address }) => {
        asked.push("elsewhere");
        return { reason: "ConnectFailed", phases: { connectMs: 0, totalMs: 0 }, address };
      };
      prober.dependencies.connect = () => {
        asked.push("here");
        return refused();
      };
    });
    for (let n = 0; n < 4; n += 1) await wake(stub);
    expect(reports.map(told).at(-1)).toBe("a failed 4/0 Unhealthy");
    expect(asked).toEqual(["elsewhere", "elsewhere", "elsewhere", "here"]);
  });

  it("and hangs takes three slots at most, and holds up no proven one in the round that comes meanwhile", async () => {
    const dark = [1, 2, 3, 4, 5].map((port) => memberOf(`dark-${port}`, port, { timeoutMs: 300 }));
    const { stub } = await assigned([...dark, memberOf("proven", 9, { timeoutMs: 300 })], {});
    let isHanging = false;
    let pending = 0;
    const pendingThen: number[] = [];
    await inProber(stub, (prober) => {
      prober.dependencies.probeInLoopback = async ({ address, port }) => {
        if (port === 9) return { reason: "Ok", phases: { connectMs: 0, totalMs: 0 }, address };
        pending += 1;
        if (isHanging) await new Promise((resolve) => setTimeout(resolve, 600));
        pending -= 1;
        return { reason: "ConnectTimeout", phases: { totalMs: 0 }, address };
      };
      prober.dependencies.connect = () => {
        pendingThen.push(pending);
        return refused();
      };
    });
    await wake(stub);
    isHanging = true;
    const running = wake(stub);
    await vi.waitFor(() => expect(pending).toBe(3), { interval: 10 });
    vi.setSystemTime(nextRoundAt(Date.now(), SHARD));
    await running;
    expect(pendingThen).toEqual([3]);
  });

  it("and is never settled has a budget, which memory that is lost does not fill again", async () => {
    const { stub } = await assigned([memberOf("a", 1, { failureThreshold: 1_000, confirmIntervalMs: 1_000 })], {});
    const alarms: number[] = [];
    for (let n = 0; n < 50; n += 1) {
      if (n % 3 === 0) await evictDurableObject(stub);
      await standIn(stub, { probeInLoopback: script({ 1: ["ConnectFailed"] }) });
      await wake(stub);
      alarms.push(sinceRound(await alarmOf(stub)));
    }
    const confirmations = alarms.filter((at) => at !== 0).length;
    const rounds = alarms.length - confirmations;
    expect(confirmations).toBeLessThanOrEqual(30 + rounds);
    expect(rounds).toBeGreaterThan(8);
  });

  it("is asked no faster where its checks are no word on it", async () => {
    const { stub, reports } = await assigned([memberOf("a", 1)], { 1: ["ConnectFailed", "InternalError"] });
    for (let n = 0; n < 4; n += 1) await wake(stub);
    expect(reports.map(told)).toEqual([
      "a failed 1/0 Healthy",
      ...Array.from({ length: 3 }, () => "a indeterminate 1/0 Healthy"),
    ]);
    expect(sinceRound(await alarmOf(stub))).toBe(4 * CONFIRM_MS);
  });

  it("has a late wake be the round, once, where that is due by then", async () => {
    const { stub, reports } = await assigned([memberOf("a", 1), memberOf("b", 2)], { 1: ["ConnectFailed"] });
    await wake(stub);
    await wake(stub, INTERVAL_MS + 1_000);
    expect(reports.map(told)).toEqual([
      "a failed 1/0 Healthy, b ok 0/3 Healthy",
      "a failed 2/0 Healthy, b ok 0/4 Healthy",
    ]);
    expect(reports[1]?.lateMs).toBe(CONFIRM_MS + 1_000);
    expect(sinceRound(await alarmOf(stub))).toBe(2 * CONFIRM_MS + 1_000);
  });

  it("costs a row, an alarm and a report each time; a round in which all is well still costs its alarm and its report", async () => {
    const { stub, reports } = await assigned([memberOf("a", 1), memberOf("b", 2)], {
      1: ["Ok", "Ok", "ConnectFailed"],
    });
    for (let n = 0; n < 6; n += 1) {
      await inProber(stub, async (prober, { storage }) => {
        const scheduledTime = (await storage.getAlarm()) ?? Number.NaN;
        vi.setSystemTime(scheduledTime);
        await prober.alarm({ scheduledTime, retryCount: 0, isRetry: false });
      });
    }
    // Each report tells of the alarm that was set after the one before it, and of its own row. The last but one settled it.
    expect(reports.map(({ usage }) => usage?.rowsWritten).slice(1)).toEqual([1, 2, 2, 2, 1]);
    expect(reports.slice(1).map(({ usage }) => usage?.requests)).toEqual([1, 1, 1, 1, 1]);
    expect(reports).toHaveLength(6);
  });

  it("wakes no shard that has nothing to confirm", async () => {
    const { stub, reports } = await assigned([memberOf("a", 1), memberOf("b", 2, { carried: UNHEALTHY })], {
      2: ["ConnectFailed"],
    });
    const alarms: number[] = [];
    for (let n = 0; n < 3; n += 1) {
      await wake(stub);
      alarms.push(sinceRound(await alarmOf(stub)));
    }
    expect(alarms).toEqual([0, 0, 0]);
    expect(reports).toHaveLength(3);
  });
});

describe("where the region itself is cut off", () => {
  /** One leaf that failed, alone in its shard, and canaries that answer or do not. */
  async function confirmed(canariesAnswer: boolean) {
    const { stub, reports } = await assigned([memberOf("a", 1)], {});
    const asked: string[] = [];
    await inProber(stub, (prober) => {
      Object.assign(prober, { env: { ...Reflect.get(prober, "env"), CANARIES: "203.0.113.1:443,203.0.113.2:443" } });
      prober.dependencies.probeInLoopback = async ({ address }) => {
        asked.push(address);
        const isUp = address !== "127.0.0.1" && canariesAnswer;
        return { reason: isUp ? "Ok" : "ConnectTimeout", phases: { totalMs: 0 }, address };
      };
    });
    for (let n = 0; n < 4; n += 1) await wake(stub);
    return { words: reports.map(told), asked };
  }

  it("nothing is confirmed", async () => {
    const { words } = await confirmed(false);
    expect(words.slice(1)).toEqual(Array.from({ length: 3 }, () => "a indeterminate 1/0 Healthy"));
  });

  it("or is not, two canaries are asked once in each confirmation", async () => {
    const { words, asked } = await confirmed(true);
    expect(words.slice(1, 3)).toEqual(["a failed 2/0 Healthy", "a failed 3/0 Unhealthy"]);
    expect(asked.filter((address) => address !== "127.0.0.1")).toHaveLength(4);
  });
});

describe("where the resolver fails", () => {
  it("a name is confirmed at no addresses of before, which a round may still ask", async () => {
    const { target } = probeOf("a", 1);
    const { stub, reports } = await assigned([memberOf("a", 1, { target: { ...target, leaf: "gw.example.com" } })], {});
    let isUp = true;
    await inProber(stub, (prober) => {
      const addresses = ["127.0.0.1"];
      prober.dependencies.queryFamily = async (_, family) =>
        isUp ? { addresses: family === "A" ? addresses : [], ttlMs: 1_000 } : { trouble: "no answer" };
      prober.dependencies.probeInLoopback = script({ 1: ["ConnectFailed"] });
    });
    await wake(stub);
    isUp = false;
    for (let n = 0; n < 12; n += 1) await wake(stub);
    const words = reports.map(told);
    expect(words[0]).toBe("a failed 1/0 Healthy");
    expect(new Set(words.slice(1, -1))).toEqual(new Set(["a indeterminate 1/0 Healthy"]));
    expect(words.at(-1)).toBe("a failed 2/0 Healthy");
  });
});

describe("a call to look now", () => {
  it("checks the probes that it names at once, by an alarm, and the round comes at its time", async () => {
    const { stub, reports } = await assigned([memberOf("a", 1), memberOf("b", 2)], {});
    await wake(stub);
    vi.setSystemTime(Date.now() + 2 * CONFIRM_MS);
    await lookNow(stub, ["b", "nobody"]);
    expect(await alarmOf(stub)).toBe(Date.now() + 1);
    await lookNow(stub, ["b", "b"]);
    await wake(stub);
    expect(told(reports[1])).toBe("b ok 0/4 Healthy");
    expect(sinceRound(await alarmOf(stub))).toBe(0);
    await lookNow(stub, ["b"]);
    expect(sinceRound(await alarmOf(stub))).toBe(0);
    await wake(stub);
    expect(told(reports[2])).toBe("a ok 0/4 Healthy, b ok 0/5 Healthy");
  });

  it("is confirmed where it finds the probe failing", async () => {
    const { stub, reports } = await assigned([memberOf("a", 1)], { 1: ["Ok", "ConnectFailed"] });
    await wake(stub);
    vi.setSystemTime(Date.now() + 2 * CONFIRM_MS);
    await lookNow(stub, ["a"]);
    await wake(stub);
    expect(sinceRound(await alarmOf(stub))).toBe(3 * CONFIRM_MS + 1);
    await wake(stub);
    expect(reports.map(told)).toEqual(["a ok 0/3 Healthy", "a failed 1/0 Healthy", "a failed 2/0 Healthy"]);
  });

  it("does nothing to a shard that is empty, and makes nothing of one that never was", async () => {
    const { stub } = await assigned([memberOf("a", 1)], {});
    await assign(stub, assignmentOf(2, [], INTERVAL_MS));
    await lookNow(stub, ["a"]);
    expect(await alarmOf(stub)).toBeNull();
    const fresh = freshProber();
    await lookNow(fresh, ["a"]);
    const query = "SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'";
    expect(await inProber(fresh, (_, { storage }) => storage.sql.exec(query).toArray())).toEqual([]);
    expect(await alarmOf(fresh)).toBeNull();
  });

  it("that comes while others hang is answered in the same run", async () => {
    const probes = [
      memberOf("hangs", 1, { timeoutMs: 100 }),
      memberOf("a", 2, { timeoutMs: 100, confirmIntervalMs: 1 }),
    ];
    const { stub, reports } = await assigned(probes, {});
    await inProber(stub, (prober) => {
      prober.dependencies.probeInLoopback = async ({ address, port }) => {
        if (port === 1) await new Promise(() => undefined);
        return { reason: "Ok", phases: { totalMs: 0 }, address };
      };
    });
    const running = runDurableObjectAlarm(stub);
    await vi.waitFor(() => expect(told(reports[0])).toBe("a ok 0/3 Healthy"));
    vi.setSystemTime(Date.now() + 10);
    await lookNow(stub, ["a"]);
    await running;
    expect(reports.map(told)).toEqual(["a ok 0/3 Healthy", "hangs indeterminate 0/2 Healthy", "a ok 0/4 Healthy"]);
  });
});

describe("confirmations by the platform's own alarms", () => {
  it("are told from rounds though memory is lost before each", async () => {
    vi.useRealTimers();
    const stub = freshProber();
    const change = { confirmIntervalMs: 1_000, failureThreshold: 2 };
    await assign(stub, assignmentOf(1, [memberOf("a", 1, change), memberOf("b", 2, change)], 3_600_000));
    const probeInLoopback = script({ 1: ["ConnectFailed"] });
    const reports = await standIn(stub, { probeInLoopback });
    await runDurableObjectAlarm(stub);
    for (let n = 1; n <= 2; n += 1) {
      await evictDurableObject(stub);
      const given = await standIn(stub, { probeInLoopback });
      await vi.waitFor(() => expect(given).toHaveLength(1), { timeout: 30_000 });
      reports.push(...given);
    }
    expect(reports.map(told)).toEqual([
      "a failed 1/0 Healthy, b ok 0/3 Healthy",
      "a failed 2/0 Healthy",
      "a failed 3/0 Unhealthy",
    ]);
    expect(byId(reports[2]).b).not.toHaveProperty("checkedAt");
  });
});
