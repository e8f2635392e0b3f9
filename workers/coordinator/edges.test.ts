import { describe, expect, it } from "vitest";
import type { Verdict } from "../../shared/model/status.ts";
import type { Reason } from "../../shared/reason.ts";
import { type Bench, MINUTE, onBench, REGIONS_3, SECOND, share } from "../../test/support/coordinator/bench.ts";

const LEAVES = ["203.0.113.10", "203.0.113.20", "203.0.113.30"];

/** Rounds in which these leaves, and no others, are as given; the rest are ok. */
async function rounds(bench: Bench, count: number, leaves: readonly string[], reason: Reason): Promise<void> {
  bench.probers.outcome = (leaf) => (leaves.includes(leaf) ? reason : "Ok");
  await bench.run(count * 10 * SECOND, REGIONS_3);
}

/** Brings all leaves to a verdict, the first of them in the ways that differ. */
const BEFORE: Record<Verdict, (bench: Bench, leaves: readonly string[]) => Promise<void>> = {
  Pending: (bench, leaves) => rounds(bench, 1, leaves, "ResolverFailed"),
  Healthy: (bench) => rounds(bench, 6, [], "Ok"),
  Unhealthy: async (bench, leaves) => {
    await rounds(bench, 6, [], "Ok");
    await rounds(bench, 4, leaves, "ConnectFailed");
  },
  Unknown: async (bench, leaves) => {
    await rounds(bench, 6, [], "Ok");
    await rounds(bench, 8, leaves, "ResolverFailed");
  },
};

/** How many checks it takes with thresholds of 2. Who was healthy before silence has its successes still. */
const EDGES: [Verdict, "Healthy" | "Unhealthy", number][] = [
  ["Pending", "Healthy", 2],
  ["Pending", "Unhealthy", 3],
  ["Unknown", "Healthy", 1],
  ["Unknown", "Unhealthy", 3],
  ["Healthy", "Unhealthy", 3],
  ["Unhealthy", "Healthy", 2],
];

describe.each(EDGES)("from %s to %s", (from, to, checks) => {
  it.each([1, 3])(
    "of %i leaves of three: record and cluster follow with the check that turns it, and no later",
    async (count) => {
      await onBench(async (bench) => {
        const turning = LEAVES.slice(0, count);
        const verdicts = () => turning.map((leaf) => bench.verdict(`east/shop/api/${leaf}`));
        const handed = () => {
          const record = bench.delivered.get("east")?.records[0];
          return turning.map((leaf) => record?.probes.find((probe) => probe.leaf === leaf)?.verdict);
        };
        bench.put("east", 1, [share(LEAVES)]);
        await bench.settle();
        await BEFORE[from](bench, turning);
        expect(verdicts()).toEqual(turning.map(() => from));
        bench.deliveries.length = 0;
        await rounds(bench, checks - 1, turning, to === "Healthy" ? "Ok" : "ConnectFailed");
        expect(verdicts()).toEqual(turning.map(() => from));
        // No heartbeat, no restart: the reports alone.
        const reason = to === "Healthy" ? "Ok" : "ConnectFailed";
        bench.probers.outcome = (leaf) => (turning.includes(leaf) ? reason : "Ok");
        bench.now += 10 * SECOND;
        bench.round(...REGIONS_3);
        await bench.settle();
        expect(verdicts()).toEqual(turning.map(() => to));
        expect(handed()).toEqual(turning.map(() => to));
        const record = bench.coordination.readRecord("api.example.com");
        expect(bench.delivered.get("east")?.records[0]?.endpoints).toEqual(record?.endpoints);
        expect(bench.delivered.get("east")?.records[0]?.leaves).toEqual(record?.leaves);
        if (to === "Healthy") expect(bench.published()).toEqual(LEAVES);
        else if (count === 1) expect(bench.published()).toEqual(LEAVES.slice(1));
        else expect(bench.published().length > 0).toBe(from !== "Pending");
      });
    },
    MINUTE,
  );
});
