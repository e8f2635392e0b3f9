import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { backoffMs } from "../runtime/backoff.ts";
import type { PullResult, PushResult } from "./client.ts";
import { Puller } from "./puller.ts";
import { Pusher } from "./pusher.ts";

const taken = (etag = '"1"'): PushResult => ({ kind: "Taken", etag, receipt: { etag, records: [] } });
const failed: PushResult = { kind: "Failed", message: "connect ECONNREFUSED" };

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A pusher whose answers are given one by one, the last one for ever; notes when it pushed, with which tag. */
function start(...answers: PushResult[]) {
  const pushes: [ms: number, ifMatch?: string][] = [];
  const failures: string[] = [];
  const counts = { reread: 0, encoded: 0 };
  const pusher = new Pusher({
    windowMs: 1_000,
    repeatMs: 60_000,
    push: async (_, ifMatch) => {
      pushes.push(ifMatch === undefined ? [Date.now()] : [Date.now(), ifMatch]);
      return (answers.length > 1 ? answers.shift() : answers[0]) ?? taken();
    },
    encode: () => `${counts.encoded++}`,
    reread: async () => {
      counts.reread += 1;
    },
    onTaken: async () => {},
    onFailed: (message) => failures.push(message),
    random: () => 1,
  });
  return { pusher, pushes, failures, counts };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const times = (pushes: [number, string?][]) => pushes.map(([ms]) => ms);

describe("snapshots", () => {
  it("leave only once all has been read, whatever changes before", async () => {
    const { pusher, pushes } = start();
    pusher.changed();
    await pass(120_000);
    expect(pushes).toEqual([]);
    pusher.start();
    await pass(0);
    expect(times(pushes)).toEqual([120_000]);
  });

  it("leave at once after a quiet window, and together within one, also while more keep coming", async () => {
    const { pusher, pushes } = start();
    pusher.start();
    await pass(5_000);
    for (let n = 0; n < 50; n += 1) {
      pusher.changed();
      await pass(50);
    }
    await pass(5_000);
    expect(times(pushes)).toEqual([0, 5_000, 6_000, 7_000, 8_000]);
  });

  it("are pushed once, however often they are started", async () => {
    const { pusher, pushes } = start();
    for (let n = 0; n < 3; n += 1) {
      pusher.start();
      await pass(2_000);
    }
    expect(times(pushes)).toEqual([0]);
  });

  it("are repeated each minute", async () => {
    const { pusher, pushes } = start();
    pusher.start();
    await pass(180_000);
    expect(pushes).toEqual([[0], [60_000, '"1"'], [120_000, '"1"'], [180_000, '"1"']]);
  });

  it("that fail are tried again with growing patience, changes or not, and from what is so then", async () => {
    const { pusher, pushes, failures, counts } = start(failed);
    pusher.start();
    for (let n = 0; n < 20; n += 1) {
      await pass(10_000);
      pusher.changed();
    }
    expect(times(pushes)).toEqual([0, 1_000, 3_000, 7_000, 15_000, 31_000, 63_000, 123_000, 183_000]);
    expect(failures).toHaveLength(9);
    expect(counts.encoded).toBe(9);
  });

  it("that failed leave again as soon as the edge is heard of, and then with patience", async () => {
    const { pusher, pushes } = start(failed);
    pusher.start();
    await pass(20_000);
    const before = times(pushes);
    expect(before.at(-1)).toBeLessThan(20_000);
    pusher.heard();
    await pass(0);
    expect(times(pushes)).toEqual([...before, 20_000]);
    pusher.heard();
    pusher.heard();
    await pass(900);
    expect(times(pushes)).toEqual([...before, 20_000]);
  });

  it("that the edge wants later leave then, whatever changes and whether it is heard of or not", async () => {
    const { pusher, pushes } = start({ ...failed, retryAfterMs: 10_000 }, taken());
    pusher.start();
    await pass(2_000);
    pusher.changed();
    pusher.heard();
    await pass(10_000);
    expect(times(pushes)).toEqual([0, 10_000]);
  });

  it("are patient no more once one was taken", async () => {
    const { pusher, pushes } = start(failed, failed, taken(), failed, taken());
    pusher.start();
    await pass(10_000);
    pusher.changed();
    await pass(10_000);
    expect(times(pushes)).toEqual([0, 1_000, 3_000, 10_000, 11_000]);
  });

  it("of a restarted agent name the tag that the edge tells them, at once", async () => {
    const { pusher, pushes, failures } = start({ kind: "Overtaken", etag: '"7"', message: "428" }, taken('"8"'));
    pusher.start();
    await pass(60_001);
    expect(pushes).toEqual([[0], [0, '"7"'], [60_000, '"8"']]);
    expect(failures).toEqual([]);
  });

  it("that someone else overtook go out again after everything was read again, and not in a hurry", async () => {
    const { pusher, pushes, counts } = start(
      taken('"1"'),
      { kind: "Overtaken", etag: '"other"', message: "412" },
      taken('"3"'),
    );
    pusher.start();
    await pass(2_000);
    pusher.changed();
    await pass(2_000);
    expect(pushes).toEqual([[0], [2_000, '"1"'], [3_000, '"other"']]);
    expect(counts.reread).toBe(1);
  });

  it("go without a tag to an edge that lost its memory", async () => {
    const { pusher, pushes } = start(
      taken('"1"'),
      { kind: "Overtaken", etag: undefined, message: "412" },
      taken('"1"'),
    );
    pusher.start();
    await pass(61_000);
    expect(pushes).toEqual([[0], [60_000, '"1"'], [61_000]]);
  });

  it("end with the agent", async () => {
    const { pusher, pushes } = start();
    pusher.start();
    await pass(0);
    await pusher.stop();
    pusher.changed();
    await pass(120_000);
    expect(pushes).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("asking for deliveries", () => {
  function ask(...results: (PullResult | Error)[]) {
    const pulls: number[] = [];
    const puller = new Puller({
      intervalMs: 5_000,
      pull: async () => {
        pulls.push(Date.now());
        const result = (results.length > 1 ? results.shift() : results[0]) ?? new Error("no more");
        if (result instanceof Error) throw result;
        return result;
      },
      onDelivery: async () => {},
      onFailed: () => {},
      random: () => 1,
    });
    return { puller, pulls };
  }

  it("goes on every few seconds", async () => {
    const { puller, pulls } = ask({ kind: "Delivery", delivery: {} });
    puller.start();
    await pass(15_000);
    expect(pulls).toEqual([0, 5_000, 10_000, 15_000]);
    await puller.stop();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("comes back when the edge wants it", async () => {
    const { puller, pulls } = ask(
      { kind: "Failed", message: "429", retryAfterMs: 10_000 },
      { kind: "Delivery", delivery: {} },
    );
    puller.start();
    await pass(15_000);
    expect(pulls).toEqual([0, 10_000, 15_000]);
  });

  it("goes on after failures, with growing patience", async () => {
    const { puller, pulls } = ask(
      { kind: "Failed", message: "500" },
      new Error("gone"),
      { kind: "Failed", message: "500" },
      { kind: "Failed", message: "500" },
      { kind: "Delivery", delivery: {} },
    );
    puller.start();
    await pass(30_000);
    expect(pulls).toEqual([0, 5_000, 10_000, 15_000, 23_000, 28_000]);
  });
});

describe("patience", () => {
  it("doubles up to a minute, half of it by chance", () => {
    expect([1, 2, 3, 6, 7, 50].map((failures) => [backoffMs(failures, 0), backoffMs(failures, 1)])).toEqual([
      [500, 1_000],
      [1_000, 2_000],
      [2_000, 4_000],
      [16_000, 32_000],
      [30_000, 60_000],
      [30_000, 60_000],
    ]);
  });
});
