import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { RoundRunnerDependencies, Wake } from "./round-runner.ts";
import { runRounds } from "./round-runner.ts";

const START_MS = 1_000_000;

beforeEach(() => {
  vi.useFakeTimers({ now: START_MS });
});
afterEach(() => {
  vi.useRealTimers();
});

interface Story {
  intervalMs: number;
  /** How long each check takes, by item; `Infinity` waits for a slot until nobody may start any more. */
  takesMs: Record<string, number>;
  longestMs?: number;
  /** How long each settling takes. */
  settleMs?: number;
  /** What is to be confirmed, and since when (ms after the start). */
  doubtful?: Record<string, number>;
}

const least = (times: number[]) => (times.length === 0 ? undefined : Math.min(...times));

/** Runs a pump over checks that only take time, and notes when each began and what was settled when. */
async function run(
  { intervalMs, takesMs, longestMs = 0, settleMs = 0, doubtful = {} }: Story,
  { at, roundDueAt }: Wake = { at: START_MS, roundDueAt: START_MS },
) {
  const starts: string[] = [];
  const settled: string[] = [];
  const since = () => Date.now() - START_MS;
  const parts: RoundRunnerDependencies<string, string> = {
    now: Date.now,
    items: () => Object.keys(takesMs),
    confirmAt: ({ isBusy }) =>
      least(Object.entries(doubtful).flatMap(([item, at]) => (isBusy(item) ? [] : at + START_MS))),
    confirmations: (atMs, { isBusy }) => {
      const due = Object.keys(doubtful).filter((item) => (doubtful[item] ?? 0) + START_MS <= atMs && !isBusy(item));
      for (const item of due) delete doubtful[item];
      return due;
    },
    check: (item, closing, kind) => {
      starts.push(`${item} ${since()}${kind === "confirmation" ? " alone" : ""}`);
      return new Promise((resolve) => {
        if (takesMs[item] !== Number.POSITIVE_INFINITY) setTimeout(() => resolve(item), takesMs[item]);
        else closing.addEventListener("abort", () => resolve(undefined));
      });
    },
    roundAfter: (now) => START_MS + (Math.floor((now - START_MS) / intervalMs) + 1) * intervalMs,
    longestMs: () => longestMs,
    settle: async (results, { lateMs, isConfirmation, hasConfirmed }) => {
      const what = isConfirmation ? ", confirming" : ", confirming too";
      const how = hasConfirmed ? what : lateMs > 0 ? `, ${lateMs} late` : "";
      settled.push(`${results.map(([item]) => item).join(" ")} at ${since()}${how}`);
      if (settleMs > 0) await new Promise((resolve) => setTimeout(resolve, settleMs));
    },
  };
  const pumping = runRounds(parts, { at, roundDueAt });
  await vi.runAllTimersAsync();
  return { next: ((await pumping) ?? Number.NaN) - START_MS, starts, settled, tookMs: since() };
}

describe("a pump", () => {
  it("runs a round, settles once and ends, if the next is more than 0.7 s away", async () => {
    expect(await run({ intervalMs: 1_000, takesMs: { a: 20, b: 80 } })).toEqual({
      next: 1_000,
      starts: ["a 0", "b 0"],
      settled: ["a b at 80"],
      tookMs: 80,
    });
  });

  it("goes on where the next round is due sooner, settling each", async () => {
    const { starts, settled, tookMs } = await run({ intervalMs: 1_000, takesMs: { slow: 400 }, longestMs: 1_000 });
    expect(starts.slice(0, 3)).toEqual(["slow 0", "slow 1000", "slow 2000"]);
    expect(settled.slice(0, 3)).toEqual(["slow at 400", "slow at 1400", "slow at 2400"]);
    expect(tookMs).toBeLessThanOrEqual(60_000);
  });

  it("settles what is done when its time is over, and the rest when it comes or the next round is due", async () => {
    const takesMs = { quick: 10, stuck: 2_600 };
    const { starts, settled } = await run({ intervalMs: 2_000, takesMs, longestMs: 500 });
    expect(starts.slice(0, 4)).toEqual(["quick 0", "stuck 0", "quick 2000", "stuck 2600"]);
    expect(settled.slice(0, 4)).toEqual(["quick at 600", "quick at 2100", "stuck at 2600", "quick at 4100"]);
  });

  it("checks at every round what takes as long as the interval, and loses none of it", async () => {
    const { starts, settled } = await run({ intervalMs: 1_000, takesMs: { hung: 1_001 }, longestMs: 1_000 });
    expect(starts.slice(0, 4)).toEqual(["hung 0", "hung 1001", "hung 2002", "hung 3003"]);
    expect(settled.slice(0, 3)).toEqual([" at 1000", "hung at 1100", "hung at 2100"]);
    expect(settled.join(" ").match(/hung/g)).toHaveLength(starts.length);
  });

  it("runs a late round once, keeps the phase and says how late it was", async () => {
    const late = { at: START_MS - 95_000, roundDueAt: START_MS - 95_000 };
    const { starts, settled, next } = await run({ intervalMs: 30_000, takesMs: { a: 10 } }, late);
    expect({ starts, settled, next }).toEqual({ starts: ["a 0"], settled: ["a at 10, 95000 late"], next: 30_000 });
  });

  it("is over within 60 s, and turns away whoever still waits for a slot", async () => {
    const story = { intervalMs: 3_600_000, takesMs: { a: 10, waiting: Number.POSITIVE_INFINITY }, longestMs: 30_000 };
    const { settled, tookMs, next } = await run(story);
    expect({ settled, tookMs, next }).toEqual({ settled: ["a at 30000"], tookMs: 30_000, next: 3_600_000 });
  });

  it("whose settling takes longer than the interval begins the next round late, not twice", async () => {
    const { starts, settled } = await run({
      intervalMs: 1_000,
      takesMs: { a: 400 },
      longestMs: 1_000,
      settleMs: 1_000,
    });
    expect(starts.slice(0, 3)).toEqual(["a 0", "a 1400", "a 2800"]);
    expect(settled[1]).toBe("a at 1800, 400 late");
  });

  it("ends at once where there is nothing to do", async () => {
    const { settled, tookMs } = await run({ intervalMs: 30_000, takesMs: {} });
    expect({ settled, tookMs }).toEqual({ settled: [" at 0"], tookMs: 0 });
  });
});

describe("confirmations", () => {
  const INTERVAL_MS = 30_000;
  const between = (at: number) => ({ at: START_MS + at, roundDueAt: START_MS + INTERVAL_MS });

  it("are asked alone, and told as such; the round stays due when it was", async () => {
    const story = { intervalMs: INTERVAL_MS, takesMs: { a: 20, b: 80 }, doubtful: { a: 0 } };
    expect(await run(story, between(0))).toMatchObject({
      starts: ["a 0 alone"],
      settled: ["a at 20, confirming"],
      next: INTERVAL_MS,
    });
  });

  it("end the run where there are none, without a word", async () => {
    const { starts, settled, tookMs } = await run({ intervalMs: INTERVAL_MS, takesMs: { a: 20 } }, between(0));
    expect({ starts, settled, tookMs }).toEqual({ starts: [], settled: [], tookMs: 0 });
  });

  it("that come within 0.7 s are waited for, and later ones are not", async () => {
    const story = { intervalMs: INTERVAL_MS, takesMs: { a: 10, b: 10 }, doubtful: { a: 600, b: 2_000 } };
    const { starts, settled } = await run(story);
    expect(starts).toEqual(["a 0", "b 0", "a 600 alone"]);
    expect(settled).toEqual(["a b at 10", "a at 610, confirming"]);
  });

  it("wait neither for what hangs nor for a slot, once its time was over, and are told before it", async () => {
    const takesMs = { quick: 10, hung: 9_000, waiting: Number.POSITIVE_INFINITY };
    const story = { intervalMs: INTERVAL_MS, takesMs, longestMs: 500, doubtful: { quick: 3_000, hung: 3_000 } };
    const { starts, settled } = await run(story);
    expect(starts.slice(3, 4)).toEqual(["quick 3000 alone"]);
    expect(settled.slice(0, 2)).toEqual(["quick at 600", "quick at 3010, confirming"]);
  });

  it("that wait for a slot give way to the round, and have their turn in it", async () => {
    const takesMs = { waiting: Number.POSITIVE_INFINITY, a: 10 };
    const story = { intervalMs: INTERVAL_MS, takesMs, longestMs: 400, doubtful: { waiting: 0 } };
    const { starts, settled } = await run(story, { at: START_MS, roundDueAt: START_MS + 500 });
    expect(starts.slice(0, 3)).toEqual(["waiting 0 alone", "a 500", "waiting 500"]);
    expect(settled[0]).toBe("a at 600");
  });

  it("that are still asked when the round begins are told from its checks: alone they say nothing of the region", async () => {
    const story = { intervalMs: INTERVAL_MS, takesMs: { a: 700, b: 10 }, longestMs: 400, doubtful: { a: 0 } };
    const { settled } = await run(story, { at: START_MS, roundDueAt: START_MS + 500 });
    expect(settled).toEqual(["b at 600", "a at 1000, confirming too", "a at 1400"]);
  });

  it("that are due with a round are part of it", async () => {
    const story = { intervalMs: INTERVAL_MS, takesMs: { a: 10 } };
    const { settled } = await run(story, { at: START_MS - 5_000, roundDueAt: START_MS - 2_000 });
    expect(settled).toEqual(["a at 10, 2000 late"]);
  });
});
