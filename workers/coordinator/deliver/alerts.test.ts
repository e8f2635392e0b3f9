import { describe, expect, it } from "vitest";
import type { Trouble, Troubles } from "../../../shared/model/trouble.ts";
import { type Bench, MINUTE, onBench, REGIONS_3, SECOND, share } from "../../../test/support/coordinator/bench.ts";

const A = "203.0.113.10";
const B = "203.0.113.20";
const C = "203.0.113.30";

/** A notifier that takes each newer list, and can be out of reach. */
class Notifier {
  readonly lists: Troubles[] = [];
  isDown = false;
  heldAt = 0;

  readonly take = async (troubles: Troubles): Promise<{ at: number }> => {
    if (this.isDown) throw new Error("network connection lost");
    if (troubles.at > this.heldAt) {
      this.lists.push(structuredClone(troubles));
      this.heldAt = troubles.at;
    }
    return { at: this.heldAt };
  };

  last(): Trouble[] {
    return this.lists.at(-1)?.troubles ?? [];
  }
}

async function withNotifier(story: (bench: Bench, notifier: Notifier) => Promise<void>): Promise<void> {
  await onBench(async (bench) => {
    const notifier = new Notifier();
    bench.onTroubles = notifier.take;
    bench.restart();
    bench.put("east", 1, [share([A, B, C])]);
    await bench.run(2 * MINUTE, REGIONS_3);
    await story(bench, notifier);
  });
}

const time = (atMs: number) => new Date(atMs).toISOString().slice(11, 19);
const breakLeaves = (bench: Bench, ...leaves: string[]) => {
  bench.probers.outcome = (leaf) => (leaves.includes(leaf) ? "ConnectTimeout" : "Ok");
};
const word = (bench: Bench, change: object = {}) => ({
  cluster: "east",
  sharesNumber: { epoch: bench.now, n: 0 },
  decisionsNumber: { epoch: 0, n: 0 },
  ...change,
});

describe("a record", () => {
  it("is told soon, with the sentence of its leaf and since when, which stays through all that is decided", async () => {
    await withNotifier(async (bench, notifier) => {
      breakLeaves(bench, A);
      const from = notifier.lists.length;
      while (notifier.last().length === 0) await bench.run(10 * SECOND, REGIONS_3);
      const { since } = notifier.last()[0]!;
      expect(notifier.lists.slice(from)).toEqual([
        {
          partition: 0,
          at: bench.now,
          troubles: [
            {
              key: "record/api.example.com",
              kind: "RecordDegraded",
              since: bench.now,
              summary: `${A} withheld: 3 of 3 regions (apac, enam, weur) say connect timeout since ${time(since)}; 3 failures, threshold 2`,
            },
          ],
        },
      ]);
      breakLeaves(bench, A, B);
      await bench.run(2 * MINUTE, REGIONS_3);
      expect(notifier.last()).toMatchObject([{ kind: "RecordDegraded", since }]);
      expect(notifier.last()[0]?.summary).toMatch(new RegExp(`^${A} withheld: 3 of 3 .*\\. ${B} withheld: 3 of 3 `));
      bench.restart();
      await bench.run(2 * MINUTE, REGIONS_3);
      expect(notifier.last()).toMatchObject([{ kind: "RecordDegraded", since }]);
    });
  });

  it("of which nothing healthy is left is critical from then on, and neither once it is mended", async () => {
    await withNotifier(async (bench, notifier) => {
      breakLeaves(bench, A, B);
      await bench.run(MINUTE, REGIONS_3);
      const degraded = notifier.last()[0]?.since ?? 0;
      breakLeaves(bench, A, B, C);
      await bench.run(MINUTE, REGIONS_3);
      expect(notifier.last()).toMatchObject([{ key: "record/api.example.com", kind: "RecordCritical" }]);
      expect(notifier.last()[0]?.since).toBeGreaterThan(degraded);
      expect(notifier.last()[0]?.summary).toContain(`${C} published: unhealthy, but nothing better is left`);
      breakLeaves(bench);
      await bench.run(MINUTE, REGIONS_3);
      expect(notifier.last()).toEqual([]);
    });
  });

  it("that is no more is in no trouble", async () => {
    await withNotifier(async (bench, notifier) => {
      breakLeaves(bench, A);
      await bench.run(MINUTE, REGIONS_3);
      expect(notifier.last()).toHaveLength(1);
      bench.put("east", 2, []);
      await bench.settle();
      expect(notifier.last()).toEqual([]);
    });
  });

  it("keeps to its share of the words", async () => {
    await onBench(async (bench) => {
      const notifier = new Notifier();
      bench.onTroubles = notifier.take;
      bench.restart();
      const many = Array.from({ length: 60 }, (_, n) => `203.0.113.${n + 1}`);
      bench.put("east", 1, [share(many)]);
      await bench.run(2 * MINUTE, REGIONS_3);
      breakLeaves(bench, ...many.slice(0, 50));
      await bench.run(MINUTE, REGIONS_3);
      const [{ summary } = { summary: "" }] = notifier.last();
      expect(summary.length).toBeLessThanOrEqual(1_000);
      expect(summary).toMatch(/threshold 2, and \d+ more$/);
      expect(summary.split(". ").length + Number(/and (\d+) more/.exec(summary)?.[1])).toBe(50);
    });
  });
});

describe("a region and a cluster", () => {
  it("are told while the one is silent and the other cannot be reached", async () => {
    await withNotifier(async (bench, notifier) => {
      await bench.run(5 * MINUTE, ["apac", "enam"]);
      const silent = notifier.last();
      expect(silent).toEqual([
        { key: "region/weur", kind: "RegionSilent", since: silent[0]?.since, summary: expect.any(String) },
      ]);
      expect(silent[0]?.summary).toBe(`no prober in weur reports since ${time(silent[0]?.since ?? 0)}`);
      const since = bench.now - 20 * SECOND;
      bench.coordination.contact(word(bench, { unreachable: { since, failure: "no answer within 10s" } }));
      await bench.settle();
      const unreachable = {
        key: "cluster/east",
        kind: "ClusterUnreachable",
        since,
        summary: `deliveries to east fail since ${time(since)}: no answer within 10s`,
      };
      expect(notifier.last()).toEqual([...silent, unreachable]);
      bench.restart();
      bench.coordination.heartbeat();
      await bench.settle();
      expect(notifier.last()).toEqual([...silent, unreachable]);
      await bench.run(MINUTE, REGIONS_3);
      bench.coordination.contact(word(bench));
      await bench.settle();
      expect(notifier.last()).toEqual([]);
    });
  });
});

describe("the notifier", () => {
  it("is told again with each heartbeat while something is wrong, and that nothing is until it says that it knows", async () => {
    await withNotifier(async (bench, notifier) => {
      expect(notifier.lists.map(({ troubles }) => troubles)).toEqual([[]]);
      await bench.run(5 * MINUTE, REGIONS_3);
      bench.restart();
      await bench.run(5 * MINUTE, REGIONS_3);
      expect(notifier.lists).toHaveLength(1);
      breakLeaves(bench, A);
      notifier.isDown = true;
      await bench.run(2 * MINUTE, REGIONS_3);
      notifier.isDown = false;
      await bench.run(3 * MINUTE, REGIONS_3);
      expect(notifier.lists).toHaveLength(4);
      notifier.isDown = true;
      breakLeaves(bench);
      await bench.run(2 * MINUTE, REGIONS_3);
      bench.restart();
      notifier.isDown = false;
      expect(notifier.last()).toHaveLength(1);
      await bench.run(MINUTE, REGIONS_3);
      expect(notifier.last()).toEqual([]);
      const told = notifier.lists.length;
      await bench.run(5 * MINUTE, REGIONS_3);
      expect(notifier.lists).toHaveLength(told);
    });
  });

  it("that has a later list, from before the clock was put right, is told again with a later time", async () => {
    await withNotifier(async (bench, notifier) => {
      notifier.heldAt = bench.now + 10 * MINUTE;
      breakLeaves(bench, A);
      await bench.run(MINUTE, REGIONS_3);
      expect(notifier.last()).toHaveLength(1);
      breakLeaves(bench);
      await bench.run(MINUTE, REGIONS_3);
      expect(notifier.last()).toEqual([]);
    });
  });

  it("hears what began while it was told of something else", async () => {
    await withNotifier(async (bench, notifier) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const take = notifier.take;
      bench.onTroubles = async (troubles) => {
        const answer = await take(troubles);
        await promise;
        return answer;
      };
      bench.restart();
      bench.coordination.contact(word(bench, { unreachable: { since: bench.now, failure: "answered 500" } }));
      const settled = bench.settle();
      bench.coordination.contact(word(bench));
      resolve();
      await settled;
      await bench.settle();
      expect(notifier.last()).toEqual([]);
    });
  });

  it("is left in peace between two lists, however much begins meanwhile: reports go first", async () => {
    await withNotifier(async (bench, notifier) => {
      const rest = Promise.withResolvers<void>();
      bench.onRest = () => rest.promise;
      const settled: Promise<void>[] = [];
      const from = notifier.lists.length;
      for (let turn = 1; turn <= 20; turn += 1) {
        const unreachable = turn % 2 === 0 ? {} : { unreachable: { since: bench.now, failure: "answered 500" } };
        bench.coordination.contact(word(bench, unreachable));
        bench.coordination.contact(word(bench, { unreachable: { since: bench.now + turn, failure: "answered 500" } }));
        settled.push(bench.settle());
        bench.coordination.contact(word(bench, unreachable));
        await Promise.resolve();
      }
      expect(notifier.lists.length - from).toBe(1);
      rest.resolve();
      await Promise.all(settled);
      await bench.settle();
      expect(notifier.lists.length - from).toBe(2);
    });
  });

  it("is not looked for, and nothing is stored for it, while nobody is to be told", async () => {
    await onBench(async (bench, storage) => {
      bench.put("east", 1, [share([A, B])]);
      await bench.run(2 * MINUTE, REGIONS_3);
      breakLeaves(bench, A);
      await bench.run(2 * MINUTE, REGIONS_3);
      expect(storage.sql.exec("SELECT 1 FROM meta WHERE key = 'untroubled'").toArray()).toEqual([]);
    });
  });
});
