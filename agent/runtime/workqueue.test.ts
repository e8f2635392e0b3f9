import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { AccumulationWindow, WorkQueue, type WorkQueueOptions } from "./workqueue.ts";

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

/** A started queue that notes what it processes, and when. Each run takes `workMs`. */
function start(options: Partial<WorkQueueOptions<string>> & { workMs?: number } = {}) {
  const runs: string[] = [];
  const errors: string[] = [];
  let atOnce = 0;
  const most = { atOnce: 0 };
  const queue = new WorkQueue<string>({
    random: () => 1,
    onError: (key, { message }) => errors.push(`${key} ${message}`),
    ...options,
    process: async (key) => {
      runs.push(`${key} ${Date.now()}`);
      most.atOnce = Math.max(most.atOnce, ++atOnce);
      try {
        if (options.workMs !== undefined) await new Promise((resolve) => setTimeout(resolve, options.workMs));
        return await options.process?.(key);
      } finally {
        atOnce -= 1;
      }
    },
  });
  queue.start();
  return { queue, runs, errors, most };
}

type Queue = WorkQueue<string>;
const CASES: [title: string, workMs: number, steps: [atMs: number, step: (queue: Queue) => void][], runs: string[]][] =
  [
    ["a key that is added", 10, [[0, (q) => q.add("a")]], ["a 0"]],
    [
      "a key that is added twice before it is processed runs once",
      10,
      [
        [0, (q) => q.add("a")],
        [0, (q) => q.add("a")],
      ],
      ["a 0"],
    ],
    [
      "a key that is added while it is processed runs again afterwards, once",
      10,
      [
        [0, (q) => q.add("a")],
        [3, (q) => q.add("a")],
        [6, (q) => q.add("a")],
      ],
      ["a 0", "a 10"],
    ],
    [
      "keys run in the order in which they were added",
      10,
      [
        [0, (q) => q.add("b")],
        [0, (q) => q.add("a")],
        [1, (q) => q.add("b")],
      ],
      ["b 0", "a 10", "b 20"],
    ],
    ["a delayed key waits", 1, [[0, (q) => q.addAfter("a", 500)]], ["a 500"]],
    [
      "of several due times the earliest counts",
      1,
      [
        [0, (q) => q.addAfter("a", 500)],
        [0, (q) => q.addAfter("a", 200)],
        [100, (q) => q.addAfter("a", 900)],
      ],
      ["a 200"],
    ],
    [
      "a key that is added does not run again when its delay ends",
      1,
      [
        [0, (q) => q.addAfter("a", 500)],
        [100, (q) => q.add("a")],
      ],
      ["a 100"],
    ],
    [
      "a delay that ends while the key is processed makes it run again",
      50,
      [
        [0, (q) => q.add("a")],
        [10, (q) => q.addAfter("a", 20)],
      ],
      ["a 0", "a 50"],
    ],
    [
      "delays of different keys are independent",
      1,
      [
        [0, (q) => q.addAfter("late", 300)],
        [0, (q) => q.addAfter("early", 100)],
      ],
      ["early 100", "late 300"],
    ],
    [
      "rate-limited keys wait twice as long each time, until forgotten",
      1,
      [
        [0, (q) => q.addRateLimited("a")],
        [5_000, (q) => q.addRateLimited("a")],
        [10_000, (q) => q.addRateLimited("a")],
        [20_000, (q) => q.forget("a")],
        [20_000, (q) => q.addRateLimited("a")],
      ],
      ["a 1000", "a 7000", "a 14000", "a 21000"],
    ],
  ];

describe("a work queue", () => {
  it.each(CASES)("%s", async (_, workMs, steps, expected) => {
    const { queue, runs } = start({ workMs });
    for (const [atMs, step] of steps) {
      if (atMs > Date.now()) await pass(atMs - Date.now());
      step(queue);
    }
    await pass(60_000);
    expect(runs).toEqual(expected);
    await queue.shutDown();
  });

  it("processes as many keys at the same time as it may, and one key never twice", async () => {
    const { queue, runs, most } = start({ concurrency: 2, workMs: 10 });
    for (const key of ["a", "b", "c", "a"]) queue.add(key);
    await pass(5);
    queue.add("a");
    await pass(100);
    expect(runs).toEqual(["a 0", "b 0", "c 10", "a 10"]);
    expect(most.atOnce).toBe(2);
  });

  it("retries a failed key with back-off, and the others meanwhile", async () => {
    const { queue, runs, errors } = start({
      process: async (key) => {
        if (key === "bad" && queue.numRequeues("bad") < 2) throw new Error("refused");
        queue.forget(key);
        return undefined;
      },
    });
    queue.add("bad");
    queue.add("good");
    await pass(60_000);
    expect(runs).toEqual(["bad 0", "good 0", "bad 1000", "bad 3000"]);
    expect(errors).toEqual(["bad refused", "bad refused"]);
    expect(queue.numRequeues("bad")).toBe(0);
  });

  it("processes a key again after the delay that its run asked for", async () => {
    const delays = [100, 50, undefined];
    const { queue, runs } = start({ process: async () => delays.shift() });
    queue.add("a");
    await pass(1_000);
    expect(runs).toEqual(["a 0", "a 100", "a 150"]);
  });

  it("keeps what is added before the start", async () => {
    const runs: string[] = [];
    const queue = new WorkQueue<string>({
      process: async (key) => {
        runs.push(`${key} ${Date.now()}`);
        return undefined;
      },
    });
    queue.add("now");
    queue.addAfter("later", 300);
    await pass(200);
    expect(runs).toEqual([]);
    queue.start();
    await pass(100);
    expect(runs).toEqual(["now 200", "later 300"]);
  });

  it("never processes a key within the call that adds it", async () => {
    const { queue, runs } = start();
    queue.add("a");
    expect(runs).toEqual([]);
    await pass(0);
    expect(runs).toEqual(["a 0"]);
  });

  it("says when it is idle, and resolves those that wait for it", async () => {
    let idles = 0;
    const { queue } = start({ workMs: 10, onIdle: () => (idles += 1) });
    let isMet = false;
    const seen: string[] = [];
    queue.add("a");
    queue.addAfter("b", 100);
    void queue.until(() => true).then(() => seen.push(`idle ${Date.now()}`));
    void queue.until(() => isMet).then(() => seen.push(`met ${Date.now()}`));
    await pass(50);
    isMet = true;
    await pass(200);
    expect(seen).toEqual(["idle 10", "met 110"]);
    expect(idles).toBe(2);
    await queue.until(() => true);
  });

  it("drops what waits when it shuts down, and ends when the running keys are done", async () => {
    const { queue, runs } = start({ workMs: 100 });
    queue.add("a");
    queue.add("b");
    queue.addAfter("c", 10);
    await pass(20);
    let endedAt: number | undefined;
    void queue.shutDown().then(() => (endedAt = Date.now()));
    queue.add("d");
    expect([queue.has("b"), queue.has("c"), queue.has("d")]).toEqual([false, false, false]);
    await pass(1_000);
    expect(runs).toEqual(["a 0"]);
    expect(endedAt).toBe(100);
    await queue.until(() => false);
  });
});

describe("an accumulation window", () => {
  it("lets the first change pass, and delays those after a batch until its end", async () => {
    const window = new AccumulationWindow(1_000);
    expect(window.delayMs).toBe(0);
    window.begin();
    await pass(300);
    expect(window.delayMs).toBe(700);
    window.end();
    expect(window.delayMs).toBe(0);
    window.begin();
    await pass(2_000);
    expect(window.delayMs).toBe(0);
  });
});
