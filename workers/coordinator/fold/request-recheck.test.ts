import { describe, expect, it, vi } from "vitest";
import type { ShareInput } from "../../../shared/model/messages/shares.ts";
import { type Bench, MINUTE, onBench, REGIONS_3, SECOND, share } from "../../../test/support/coordinator/bench.ts";

const A = "203.0.113.10";
const B = "203.0.113.20";
const idOf = (leaf: string) => `east/shop/api/${leaf}`;

/** A record of A and B that all regions have called healthy for long; then A goes dark. */
async function untilDark(bench: Bench, given: ShareInput = share([A, B])): Promise<void> {
  bench.put("east", 1, [given]);
  await bench.run(2 * MINUTE, REGIONS_3);
  bench.probers.outcome = (leaf) => (leaf === A ? "ConnectFailed" : "Ok");
  bench.now += 3 * SECOND;
}

const asked = (bench: Bench) => bench.looks.map(({ region, probes }) => `${region} ${probes.join()}`).sort();

describe("the first report that differs", () => {
  it("lets the other regions look at once, one call each, after it is answered; the second does not", async () => {
    await onBench(async (bench) => {
      await untilDark(bench);
      bench.probers.outcome = () => "ConnectFailed";
      bench.round("weur");
      expect(bench.looks).toEqual([]);
      await bench.settle();
      expect(asked(bench)).toEqual([`apac ${idOf(A)},${idOf(B)}`, `enam ${idOf(A)},${idOf(B)}`]);
      bench.confirm(["weur"], A, B);
      bench.confirm(["weur"], A, B);
      await bench.settle();
      expect(bench.looks).toHaveLength(2);
    });
  });

  it("asks none that differs itself, was asked already, or has looked since", async () => {
    await onBench(async (bench) => {
      await untilDark(bench);
      bench.confirm(["weur"], A);
      await bench.settle();
      bench.now += SECOND;
      bench.confirm(["apac"], A);
      await bench.settle();
      expect(asked(bench)).toEqual([`apac ${idOf(A)}`, `enam ${idOf(A)}`]);
      bench.looks.length = 0;
      // apac finds it well, and a second later it does not.
      for (const outcome of ["Ok", "ConnectFailed"] as const) {
        bench.probers.outcome = (_, region) => (region === "enam" ? "Ok" : outcome);
        bench.now += SECOND;
        bench.confirm(["apac"], A);
        if (outcome === "Ok") bench.confirm(["enam"], A);
        await bench.settle();
      }
      expect(asked(bench)).toEqual([`enam ${idOf(A)}`]);
      bench.probers.outcome = () => "Ok";
      bench.now += SECOND;
      bench.confirm(REGIONS_3, A);
      bench.looks.length = 0;
      // What weur found a second ago comes now.
      const entry = { counts: { failures: 1, successes: 0, says: "Healthy" as const }, checkedAt: bench.now - SECOND };
      for (const report of bench.probers.round(["weur"], () => false)) {
        const probes = report.probes.map((probe) => (probe.id === idOf(A) ? { ...probe, ...entry } : probe));
        bench.send({ ...report, probes });
      }
      await bench.settle();
      expect(bench.looks).toEqual([]);
    });
  });

  it("of a recovery does the same", async () => {
    await onBench(async (bench) => {
      await untilDark(bench);
      await bench.run(MINUTE, REGIONS_3);
      expect(bench.published()).toEqual([B]);
      bench.looks.length = 0;
      bench.probers.outcome = () => "Ok";
      bench.now += 3 * SECOND;
      bench.round("enam");
      await bench.settle();
      expect(asked(bench)).toEqual([`apac ${idOf(A)}`, `weur ${idOf(A)}`]);
    });
  });

  it("settles the verdict within the confirmations of all regions, long before their turns", async () => {
    await onBench(async (bench) => {
      const SLOW = { interval: "30s", failureThreshold: 2 };
      await untilDark(bench, share([A, B], { check: SLOW }));
      const darkAt = bench.now;
      bench.round("weur");
      await bench.settle();
      for (let look = 0; look < 3; look += 1) {
        bench.confirm(look === 0 ? ["apac", "enam"] : REGIONS_3, A);
        bench.now += 3 * SECOND;
      }
      expect(bench.published()).toEqual([B]);
      expect(bench.now - darkAt).toBeLessThan(10 * SECOND);
    });
  });
});

describe("nobody is asked", () => {
  const CASES: [string, ShareInput, (bench: Bench) => void][] = [
    ["about a probe whose turns come as often", share([A, B], { check: { confirmInterval: "10s" } }), () => {}],
    [
      "in a region that never acknowledged an assignment",
      share([A, B]),
      (bench) => {
        bench.put("east", 2, [share([A, B], { check: { interval: "20s" } })]);
      },
    ],
  ];

  it.each(CASES)("%s", async (_, given, before) => {
    await onBench(async (bench) => {
      await untilDark(bench, given);
      before(bench);
      bench.round("weur");
      await bench.settle();
      expect(bench.looks).toEqual([]);
    });
  });

  it("while a probe was never found healthy, or rests", async () => {
    await onBench(async (bench) => {
      bench.put("east", 1, [share([A, B])]);
      await bench.settle();
      bench.probers.outcome = (leaf, region) => (leaf === A && region !== "weur" ? "ConnectFailed" : "Ok");
      await bench.run(20 * SECOND, REGIONS_3);
      expect(bench.verdict(idOf(A))).toBe("Pending");
      bench.probers.outcome = () => "ConnectFailed";
      bench.now += 3 * SECOND;
      bench.looks.length = 0;
      bench.confirm(["weur"], A);
      await bench.settle();
      expect(bench.looks).toEqual([]);
    });
  });

  it("at an address that more probes share than may ask in one second", async () => {
    const rootHost = "other.example.com";
    const endpoints = [{ dnsName: rootHost, recordType: "A", targets: [A] }];
    const other = share([A], { name: "other", spec: { rootHost, endpoints } });
    for (const [limit, looks] of [
      [6, 2],
      [5, 0],
    ] as const) {
      await onBench(
        async (bench) => {
          bench.put("east", 1, [other, share([A, B], { check: { confirmInterval: "5s" } })]);
          await bench.run(2 * MINUTE, REGIONS_3);
          bench.probers.outcome = (leaf) => (leaf === A ? "ConnectFailed" : "Ok");
          bench.now += SECOND;
          bench.round("weur");
          await bench.settle();
          expect(bench.looks).toHaveLength(looks);
        },
        { maxRequestsPerAddress: limit },
      );
    }
  });

  it("in a region that is silent", async () => {
    await onBench(async (bench) => {
      bench.put("east", 1, [share([A, B])]);
      await bench.run(2 * MINUTE, REGIONS_3);
      await bench.run(3 * MINUTE, ["weur", "enam"]);
      bench.probers.outcome = () => "ConnectFailed";
      bench.now += SECOND;
      bench.confirm(["weur"], A);
      await bench.settle();
      expect(asked(bench)).toEqual([`enam ${idOf(A)}`]);
    });
  });
});

it("a call that fails is told of, and changes nothing: each region has its turn", async () => {
  const warn = vi.spyOn(console, "warn").mockReturnValue();
  await onBench(async (bench) => {
    await untilDark(bench);
    bench.onCall = (kind) => {
      if (kind === "lookNow") throw new Error("Network connection lost.");
    };
    await bench.run(40 * SECOND, REGIONS_3);
    expect(bench.published()).toEqual([B]);
    expect(warn).toHaveBeenCalled();
  });
  warn.mockRestore();
});

it("what flaps makes regions look three times at once, and then once an interval", async () => {
  await onBench(async (bench) => {
    await untilDark(bench);
    for (let second = 0; second < 60; second += 1) {
      bench.probers.outcome = (leaf) => (leaf === A && second % 2 === 0 ? "ConnectFailed" : "Ok");
      bench.confirm(["weur"], A);
      await bench.settle();
      bench.probers.outcome = () => "Ok";
      bench.confirm(["apac", "enam"], A);
      bench.now += SECOND;
    }
    // Two regions are asked each time.
    expect(bench.looks.length / 2).toBe(3 + 5);
  });
});

describe("a mass failure", () => {
  const records = (confirmInterval: string) =>
    Array.from({ length: 10 }, (_, index) => {
      const rootHost = `r${index}.example.com`;
      const targets = Array.from({ length: 10 }, (_, leaf) => `10.0.${index}.${leaf + 1}`);
      const endpoints = [{ dnsName: rootHost, recordType: "A", targets }];
      return share([], { name: `r${index}`, check: { confirmInterval }, spec: { rootHost, endpoints } });
    });

  /** All fails at once, and the regions have their turns one after the other; those asked look, or no call gets through. */
  async function failAll(confirmInterval: string, isHeard: boolean) {
    const found = { calls: 0, rows: 0, shards: 0 };
    await onBench(async (bench) => {
      bench.put("east", 1, records(confirmInterval));
      await bench.run(2 * MINUTE, REGIONS_3);
      bench.probers.outcome = () => "ConnectFailed";
      const rows = bench.rowsWritten();
      for (let turn = 0; turn < 9; turn += 1) {
        bench.now += 3_333;
        bench.round(REGIONS_3[turn % 3] ?? "weur");
        await bench.settle();
        if (isHeard && turn === 0)
          bench.confirm(
            ["enam", "weur"],
            ...bench.looks.flatMap(({ probes }) => probes.map((id) => id.split("/").at(-1) ?? "")),
          );
        await bench.settle();
      }
      const shards = new Set([...bench.probers.probers.values()].map(({ assignment }) => assignment.shard.n));
      Object.assign(found, { calls: bench.looks.length, rows: bench.rowsWritten() - rows, shards: shards.size });
    });
    return found;
  }

  it("makes one call for each shard and other region", async () => {
    const { calls, shards } = await failAll("1s", true);
    expect({ calls, shards }).toEqual({ calls: 4 * (REGIONS_3.length - 1), shards: 4 });
  });

  it("makes no more where none gets through, and writes no row for them", async () => {
    const [without, lost] = [await failAll("10s", false), await failAll("1s", false)];
    expect(without.calls).toBe(0);
    expect(lost.calls).toBe(4 * (REGIONS_3.length - 1));
    expect(lost.rows).toBe(without.rows);
  });
});
