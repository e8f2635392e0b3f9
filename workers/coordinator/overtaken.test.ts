import { afterEach, describe, expect, it, vi } from "vitest";
import type { MessageNumber } from "../../shared/model/number.ts";
import {
  type Bench,
  EDGE_STALE_AFTER,
  MINUTE,
  onBench,
  REGIONS_3,
  SECOND,
  share,
} from "../../test/support/coordinator/bench.ts";

const A = "203.0.113.10";
const B = "203.0.113.20";
const C = "203.0.113.30";
const DAY = 24 * 60 * MINUTE;
const NONE = { epoch: 0, n: 0 };

afterEach(() => {
  vi.restoreAllMocks();
});

const numberOf = (bench: Bench): MessageNumber => bench.delivered.get("east")?.number ?? NONE;
const targetsOf = (bench: Bench) => bench.delivered.get("east")?.records[0]?.endpoints[0]?.targets;
const contact = (bench: Bench, sharesN: number, decisionsNumber = numberOf(bench)) => {
  const epoch = bench.now - DAY;
  const receipt = bench.coordination.contact({ cluster: "east", sharesNumber: { epoch, n: sharesN }, decisionsNumber });
  bench.take(receipt.decisions);
  return receipt;
};
const watchedOf = (bench: Bench) =>
  new Set([...bench.probers.probers.values()].flatMap(({ assignment }) => assignment.probes.map(({ id }) => id)));

/** The storage is lost, and made again by a clock that is behind. */
async function loseStorageInThePast(bench: Bench, behindMs = 10 * MINUTE): Promise<void> {
  bench.put("east", 1, [share([A, B])]);
  await bench.run(2 * MINUTE, REGIONS_3);
  bench.now -= behindMs;
  await bench.loseStorage();
}

describe("a coordinator that lost its storage while its clock is behind", () => {
  it("is taken for newer by its cluster and its probers again, as soon as the cluster is heard", async () => {
    await onBench(async (bench) => {
      await loseStorageInThePast(bench);
      const held = numberOf(bench);
      expect(contact(bench, 1).sharesWanted).toBe(true);
      bench.put("east", 1, [share([A, C], { published: [A, B] })], bench.now - DAY);
      await bench.run(EDGE_STALE_AFTER + MINUTE, REGIONS_3);
      expect(numberOf(bench).epoch).toBe(held.epoch + 1);
      expect(targetsOf(bench)).toEqual([A, C]);
      expect(watchedOf(bench)).toEqual(new Set([`east/shop/api/${A}`, `east/shop/api/${C}`]));
      bench.probers.outcome = (leaf) => (leaf === C ? "ConnectFailed" : "Ok");
      await bench.run(MINUTE, REGIONS_3);
      expect(targetsOf(bench)).toEqual([A]);
    });
  });

  it("finds out by what its probers answer, or report, and stays above after a restart", async () => {
    await onBench(async (bench) => {
      await loseStorageInThePast(bench);
      const held = numberOf(bench);
      bench.put("east", 1, [share([A, C], { published: [A, B] })], bench.now - DAY);
      await bench.settle();
      expect(watchedOf(bench)).toEqual(new Set([`east/shop/api/${A}`, `east/shop/api/${C}`]));
      bench.restart();
      await bench.run(EDGE_STALE_AFTER + MINUTE, REGIONS_3);
      expect(numberOf(bench).epoch).toBe(held.epoch + 1);
      expect(targetsOf(bench)).toEqual([A, C]);
    });
    await onBench(async (bench) => {
      await loseStorageInThePast(bench);
      const held = numberOf(bench);
      bench.coordination.registerCluster("east");
      bench.round(...REGIONS_3);
      expect(bench.coordination.listEvents(0).map(({ type }) => type)).toContain("NumberOvertaken");
      bench.put("east", 1, [share([A, C], { published: [A, B] })], bench.now - DAY);
      bench.onCall = () => {
        expect(bench.coordination.listRecords()).toHaveLength(1);
      };
      await bench.settle();
      expect(bench.probers.assigned.at(-1)?.number.epoch).toBe(held.epoch + 1);
    });
  });

  it("waits for all clusters, whose list it has lost, also if it had taken itself for new", async () => {
    await onBench(async (bench) => {
      await loseStorageInThePast(bench);
      // Of an epoch that is later than the storage: nothing tells yet that there was a time before.
      bench.put("east", 1, [share([A], { published: [A, B] })], bench.now + MINUTE);
      await bench.settle();
      const before = numberOf(bench);
      contact(bench, 1, before);
      await bench.run(MINUTE, REGIONS_3);
      expect(targetsOf(bench)).toEqual([A, B]);
      bench.put("west", 1, [share([B], { published: [A, B] })], bench.now);
      await bench.run(EDGE_STALE_AFTER, REGIONS_3);
      expect(bench.published()).toEqual([A, B]);
      expect(targetsOf(bench)).toEqual([A, B]);
    });
  });
});

describe("a coordinator that was put back to an earlier time", () => {
  it("counts on above the decisions that a cluster has, and the assignments that probers have", async () => {
    await onBench(async (bench, { sql }) => {
      bench.put("east", 1, [share([A])]);
      await bench.run(MINUTE, REGIONS_3);
      const tables = ["clusters", "shares", "probes", "words", "shards", "records"];
      const rows = tables.map((table) => sql.exec(`SELECT key, value FROM ${table}`).toArray());
      for (let n = 2; n < 9; n += 1) {
        bench.put("east", n, [share(n % 2 === 0 ? [A, B] : [A])]);
        await bench.run(MINUTE, REGIONS_3);
      }
      const held = numberOf(bench);
      for (const [index, table] of tables.entries()) {
        sql.exec(`DELETE FROM ${table}`);
        for (const { key, value } of rows[index] ?? []) sql.exec(`INSERT INTO ${table} VALUES (?, ?)`, key, value);
      }
      bench.restart();
      contact(bench, 8);
      expect(numberOf(bench)).toEqual({ epoch: held.epoch, n: held.n + 1 });
      bench.put("east", 9, [share([A, C])]);
      await bench.run(2 * MINUTE, REGIONS_3);
      expect(targetsOf(bench)).toEqual([A, C]);
      expect(watchedOf(bench)).toEqual(new Set([`east/shop/api/${A}`, `east/shop/api/${C}`]));
    });
  });
});

describe("a number that is nonsense", () => {
  it("is not followed: it is told of once, with what to do", async () => {
    const error = vi.spyOn(console, "error").mockImplementation(() => {});
    await onBench(async (bench) => {
      bench.put("east", 1, [share([A])]);
      await bench.run(MINUTE, REGIONS_3);
      const { epoch } = numberOf(bench);
      for (let word = 0; word < 3; word += 1) contact(bench, 1, { epoch: bench.now + 2 * DAY, n: 1 });
      const told = bench.coordination.listEvents(0).filter(({ type }) => type === "NumberOvertaken");
      expect(told).toHaveLength(1);
      expect(told[0]?.message).toContain("register");
      expect(error).toHaveBeenCalledOnce();
      bench.put("east", 2, [share([A, B])]);
      await bench.settle();
      expect(numberOf(bench).epoch).toBe(epoch);
    });
  });

  it("that a prober answers again and again is not chased", async () => {
    vi.spyOn(console, "warn").mockImplementation(() => {});
    await onBench(async (bench) => {
      let calls = 0;
      const { assign } = bench.probers;
      bench.probers.assign = (assignment) => {
        calls += 1;
        const { number } = assign.call(bench.probers, assignment);
        return { number: { ...number, n: number.n + 5 } };
      };
      bench.put("east", 1, [share([A])]);
      await bench.settle();
      bench.now += SECOND;
      expect(calls).toBeLessThan(50);
    });
  });
});
