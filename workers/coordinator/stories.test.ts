import { describe, expect, it } from "vitest";
import type { Reason } from "../../shared/reason.ts";
import { type Bench, MINUTE, onBench, REGIONS_3, SECOND, share } from "../../test/support/coordinator/bench.ts";

const A = "203.0.113.10";
const B = "203.0.113.20";
const ID = `east/shop/api/${A}`;

/** What each surface says of A: the regions, the verdict, the record, and what its cluster was handed. */
function surfaces(bench: Bench) {
  const probe = bench.coordination.readProbe(ID);
  const leafOf = (leaves: readonly { leaf: string; published: boolean }[] | undefined) =>
    leaves?.find(({ leaf }) => leaf === A)?.published;
  const handed = bench.delivered.get("east")?.records[0];
  return {
    regions: [...new Set(probe?.regions.map(({ counts }) => counts.says))],
    verdict: probe?.verdict,
    published: bench.published().includes(A),
    handed: [
      leafOf(handed?.leaves),
      handed?.endpoints[0]?.targets.includes(A),
      handed?.probes.find(({ id }) => id === ID)?.verdict,
    ],
  };
}

const healthy = { regions: ["Healthy"], verdict: "Healthy", published: true, handed: [true, true, "Healthy"] };
const unhealthy = {
  regions: ["Unhealthy"],
  verdict: "Unhealthy",
  published: false,
  handed: [false, false, "Unhealthy"],
};

/** One check of A from each region, in the same moment, and all that follows from it. */
async function sample(bench: Bench, reason: Reason): Promise<void> {
  bench.probers.outcome = (leaf) => (leaf === A ? reason : "Ok");
  bench.now += 10 * SECOND;
  bench.round(...REGIONS_3);
  await bench.settle();
}

async function running(bench: Bench, successThreshold: number): Promise<void> {
  bench.put("east", 1, [share([A, B], { check: { failureThreshold: 2, successThreshold } })]);
  await bench.run(MINUTE, REGIONS_3);
  bench.deliveries.length = 0;
}

describe("ok, fail, fail, fail, five times", () => {
  const CYCLE = ["Ok", "ConnectFailed", "ConnectFailed", "ConnectFailed"] as const;

  it("with one success to recover: every surface turns at each third failure, and back at each success", async () => {
    await onBench(async (bench) => {
      await running(bench, 1);
      for (let cycle = 0; cycle < 5; cycle += 1) {
        for (const [n, reason] of CYCLE.entries()) {
          await sample(bench, reason);
          expect(surfaces(bench), `cycle ${cycle}, check ${n}`).toEqual(n === 3 ? unhealthy : healthy);
        }
      }
    });
  });

  it("with two: unhealthy once, and so it stays", async () => {
    await onBench(async (bench) => {
      await running(bench, 2);
      const verdicts: unknown[] = [];
      for (let cycle = 0; cycle < 5; cycle += 1) {
        for (const reason of CYCLE) {
          await sample(bench, reason);
          verdicts.push(surfaces(bench));
        }
      }
      expect(verdicts).toEqual([healthy, healthy, healthy, ...Array.from({ length: 17 }, () => unhealthy)]);
    });
  });
});

describe("an outage is told once", () => {
  const TEXTS = ["ConnectTimeout", "InternalError", "ConnectTimeout", "ProberUnreachable", "ConnectFailed"] as const;

  it("whatever its reasons are, and with trouble of our own between the failures: one hand-over", async () => {
    await onBench(async (bench) => {
      await running(bench, 2);
      const handed: number[] = [];
      for (const reason of TEXTS) {
        await sample(bench, reason);
        handed.push(bench.deliveries.length);
      }
      expect(handed).toEqual([0, 0, 0, 0, 1]);
      expect(surfaces(bench)).toEqual(unhealthy);
      for (const reason of ["ConnectTimeout", "UnexpectedStatus", "InternalError", "ConnectionReset"] as const) {
        await sample(bench, reason);
      }
      expect(bench.deliveries).toHaveLength(1);
    });
  });

  it("and ten times trouble of our own is no outage", async () => {
    await onBench(async (bench) => {
      await running(bench, 2);
      // Within staleAfter: the rounds of a region that completes no check are silence after that.
      for (let n = 0; n < 5; n += 1) await sample(bench, "ProberUnreachable");
      expect(surfaces(bench)).toEqual(healthy);
      expect(bench.deliveries).toEqual([]);
      for (let n = 0; n < 5; n += 1) await sample(bench, "ProberUnreachable");
      expect(bench.verdict(ID)).toBe("Unknown");
      expect(bench.published()).toEqual([A, B]);
    });
  });
});
