import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, describe, expect, inject, it, vi } from "vitest";
import type { Report } from "../../shared/model/messages/report.ts";
import { startOwnGateway } from "../../test/support/own-gateway.ts";
import { assign, assignmentOf, byId, freshProber, inProber, probeOf, standIn } from "../../test/support/prober.ts";

const { named, blackHoles, closed } = inject("gateways");
const INTERVAL_MS = 2_000;

/** Within the interval. */
const prompt = { timeoutMs: 1_900 };

/** What a timer on a busy machine may be off: less than the round that would be left out. */
const SLACK_MS = 1_800;

/** The reports of each round: a slow one has several. */
const roundsOf = (reports: readonly Report[]) => [...Map.groupBy(reports, ({ roundAt }) => roundAt).values()];

function reached(reports: Report[], count: number): Promise<void> {
  const isReached = () => expect(roundsOf(reports).length).toBeGreaterThanOrEqual(count);
  return vi.waitFor(isReached, { timeout: 45_000, interval: 50 });
}

function expectCadence(reports: readonly Report[]): void {
  const times = roundsOf(reports).flatMap(([report]) => report?.roundAt ?? []);
  for (const [n, at] of times.slice(1).entries()) {
    const gapMs = at - (times[n] ?? Number.NaN);
    expect(Math.abs(gapMs - INTERVAL_MS)).toBeLessThan(SLACK_MS);
  }
}

let stub = freshProber();
afterEach(async () => {
  await assign(stub, assignmentOf(1_000, [], INTERVAL_MS));
  stub = freshProber();
});

describe("rounds that come by their alarm", () => {
  it("ask each probe once an interval, whatever is added meanwhile", async () => {
    const old = Array.from({ length: 20 }, (_, n) => probeOf(`old-${n}`, named.good, prompt));
    await assign(stub, assignmentOf(1, old, INTERVAL_MS));
    const reports = await standIn(stub);
    for (let n = 1; n <= 7; n += 1) {
      await reached(reports, n);
      const added = Array.from({ length: n }, (_, added) => probeOf(`new-${added}`, named.chunked, prompt));
      await assign(stub, assignmentOf(n + 1, [...added, ...old], INTERVAL_MS));
    }
    expectCadence(reports);
    const isOk = (id: string) => (report: Report) => byId(report)[id]?.observation?.reason === "Ok";
    // The last that was reached may not be over.
    const checks = roundsOf(reports)
      .slice(0, 6)
      .map((round) => old.filter(({ id }) => round.some(isOk(id))).length);
    expect(checks).toEqual([20, 20, 20, 20, 20, 20]);
    expect(byId(reports.find(isOk("new-4")))["new-4"]).toMatchObject({ counts: { successes: 1 } });
  });

  it("keep their cadence though a gateway hangs as long as its interval, and the coordinator never answers", async () => {
    const hung = probeOf("hung", named.silent, { timeoutMs: INTERVAL_MS });
    await assign(stub, assignmentOf(1, [hung, probeOf("good", named.good, prompt)], INTERVAL_MS));
    const reports: Report[] = [];
    await standIn(stub, {
      sendReport: (report) => {
        reports.push(report);
        return new Promise(() => undefined);
      },
    });
    await vi.waitFor(() => expect(byId(reports.at(-1)).hung?.counts.says).toBe("Unhealthy"), { timeout: 45_000 });
    // Three failures make it Unhealthy. Each round adds one, which is reported when the next has begun.
    const rounds = roundsOf(reports);
    const saysUnhealthy = (report: Report) => byId(report).hung?.counts.says === "Unhealthy";
    expect(rounds.findIndex((reports) => reports.some(saysUnhealthy))).toBeLessThanOrEqual(3);
    expectCadence(reports);
    for (const reports of rounds.slice(0, 3)) {
      expect(reports.some((report) => byId(report).good?.observation?.reason === "Ok")).toBe(true);
    }
  });
});

describe("many rounds", () => {
  it("leave no connection open, on any path", async () => {
    const prompt = [
      "good",
      "resets",
      "closesAtOnce",
      "notHttp",
      "endlessBody",
      "unavailable",
      "endlessHeaders",
    ] as const;
    const hanging = ["silent", "slowHeaders", "tricklingBody", "bytePerSecond"] as const;
    const started = await Promise.all([...prompt, ...hanging].map(startOwnGateway));
    const portOf = (n: number) => started[n]?.port ?? Number.NaN;
    const probes = [
      ...prompt.map((name, n) => probeOf(name, portOf(n))),
      ...hanging.map((name, n) => probeOf(name, portOf(prompt.length + n), { timeoutMs: 100 })),
      ...blackHoles.slice(0, 2).map((port, n) => probeOf(`hole-${n}`, port, { timeoutMs: 100 })),
    ];
    await assign(stub, assignmentOf(1, [...probes, probeOf("closed", closed)]));
    const reports = await standIn(stub);
    for (let round = 0; round < 60; round += 1) await runDurableObjectAlarm(stub);
    expect(byId(reports.at(-1)).silent?.counts.failures).toBe(60);
    for (const { seen } of started) {
      await vi.waitFor(async () => expect((await seen()).open).toBe(0), { timeout: 30_000 });
    }
  });

  it("take no more of a 1 GB body than was asked for", async () => {
    const { port, seen } = await startOwnGateway("gigabyteBody");
    await assign(stub, assignmentOf(1, [probeOf("huge", port)]));
    const reports = await standIn(stub);
    for (let round = 0; round < 4; round += 1) await runDurableObjectAlarm(stub);
    expect(byId(reports[3]).huge?.observation?.reason).toBe("Ok");
    await vi.waitFor(async () => expect((await seen()).open).toBe(0), { timeout: 30_000 });
    // Most bytes are in the buffers of the kernel.
    expect((await seen()).mostSent).toBeLessThan(16 * 2 ** 20);
  });
});

describe("a stored row that cannot be read", () => {
  it("does not stop the others, nor the object", async () => {
    await assign(stub, assignmentOf(1, [probeOf("a", named.good), probeOf("b", named.good)]));
    await inProber(stub, (_, { storage }) => {
      storage.sql.exec("UPDATE probe SET body = '{' WHERE id = 'a'");
      storage.sql.exec("INSERT OR REPLACE INTO marks (one, body) VALUES (1, 'nonsense')");
    });
    await evictDurableObject(stub);
    const error = vi.spyOn(console, "error").mockReturnValue();
    const reports = await standIn(stub);
    await runDurableObjectAlarm(stub);
    expect(Object.keys(byId(reports[0]))).toEqual(["b"]);
    expect(error).toHaveBeenCalled();
    error.mockRestore();
    await assign(stub, assignmentOf(1, [probeOf("a", named.good), probeOf("b", named.good)]));
    await runDurableObjectAlarm(stub);
    expect(Object.keys(byId(reports[1]))).toEqual(["a", "b"]);
  });
});
