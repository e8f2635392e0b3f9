import fc from "fast-check";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Shard } from "../../shared/model/messages/assignment.ts";
import { propertyRuns } from "../../test/support/property-runs.ts";
import type { Round, RoundRunnerDependencies } from "./schedule/round-runner.ts";
import { runRounds } from "./schedule/round-runner.ts";
import { nextRoundAt, roundAfter, roundFrom } from "./schedule/round-schedule.ts";

const START_MS = 1_000_000_000;

beforeEach(() => {
  vi.useFakeTimers({ now: START_MS });
});
afterEach(() => {
  vi.useRealTimers();
});

const world = fc.record({
  intervalMs: fc.constantFrom(1_500, 5_000, 10_000, 30_000, 30_000),
  confirmMs: fc.constantFrom(1_000, 3_000),
  /** How long the checks of each item take, one after the other, over and over; and whether each leaves it in doubt. */
  items: fc.array(
    fc.array(fc.record({ takesMs: fc.nat(3_000), isDoubtful: fc.boolean() }), { minLength: 1, maxLength: 4 }),
    { minLength: 1, maxLength: 3 },
  ),
  /** How late the wakes come, over and over. What they were set for is all that is known then, whether memory holds or not. */
  latesMs: fc.array(fc.oneof(fc.constant(0), fc.constant(0), fc.integer({ min: -20, max: 70_000 })), {
    minLength: 1,
    maxLength: 5,
  }),
});

type World = typeof world extends fc.Arbitrary<infer Value> ? Value : never;

/** Some pumps in a row, each woken when the one before said; the rounds that began, in order. */
async function play({ intervalMs, confirmMs, items, latesMs }: World): Promise<{ rounds: Round[]; shard: Shard }> {
  const shard: Shard = { region: "weur", partition: 0, intervalMs, n: 0, regions: ["weur"] };
  const states = items.map((checks) => ({ checks, n: 0, dueAt: undefined as number | undefined }));
  type State = (typeof states)[number];
  const rounds: Round[] = [];
  const dues = (isBusy: (state: State) => boolean, untilMs: number) =>
    states.filter((state) => !isBusy(state) && state.dueAt !== undefined && state.dueAt < untilMs);
  const parts: RoundRunnerDependencies<State, boolean> = {
    now: Date.now,
    items: () => states,
    confirmAt: ({ isBusy, roundDueAt }) => {
      const times = dues(isBusy, roundDueAt).map(({ dueAt }) => dueAt ?? 0);
      return times.length === 0 ? undefined : Math.min(...times);
    },
    confirmations: (atMs, { isBusy, roundDueAt }) => {
      const due = dues(isBusy, roundDueAt).filter(({ dueAt }) => (dueAt ?? 0) <= atMs);
      for (const state of due) state.dueAt = undefined;
      return due;
    },
    check: async (state) => {
      const how = state.checks[state.n % state.checks.length];
      state.n += 1;
      await new Promise((resolve) => setTimeout(resolve, how?.takesMs));
      return how?.isDoubtful;
    },
    roundAfter: (now) => roundAfter(now, shard),
    longestMs: () => 3_000,
    settle: async (results, round) => {
      if (!round.isConfirmation && rounds.at(-1)?.roundAt !== round.roundAt) rounds.push(round);
      for (const [state, isDoubtful] of results) state.dueAt = isDoubtful ? Date.now() + confirmMs : undefined;
    },
  };
  let at = nextRoundAt(START_MS, shard);
  for (let n = 0; n < 6; n += 1) {
    const lateMs = latesMs[n % latesMs.length] ?? 0;
    vi.setSystemTime(Math.max(at + lateMs, Date.now()));
    const pumping = runRounds(parts, { at, roundDueAt: roundFrom(at, shard) });
    await vi.runAllTimersAsync();
    const roundDueAt = (await pumping) ?? Number.NaN;
    at = parts.confirmAt({ roundDueAt, isBusy: () => false }) ?? roundDueAt;
  }
  return { rounds, shard };
}

it("no round is lost or run twice, and none leaves its phase, whatever is confirmed, hangs or comes late", async () => {
  await fc.assert(
    fc.asyncProperty(world, async (given) => {
      vi.setSystemTime(START_MS);
      const { rounds, shard } = await play(given);
      expect(rounds.length).toBeGreaterThan(0);
      for (const [n, round] of rounds.entries()) {
        const before = rounds[n - 1];
        const dueAt = before === undefined ? nextRoundAt(START_MS, shard) : roundAfter(before.roundAt, shard);
        if (round.roundAt >= dueAt) expect(round.roundAt - round.lateMs).toBe(dueAt);
        else expect(dueAt - round.roundAt).toBeLessThanOrEqual(20);
      }
    }),
    { numRuns: propertyRuns(12) },
  );
});
