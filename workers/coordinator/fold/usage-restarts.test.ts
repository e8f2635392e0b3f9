import fc from "fast-check";
import { expect, it } from "vitest";
import type { Region } from "../../../shared/model/region.ts";
import { NO_USAGE, type Usage, type UsageSince } from "../../../shared/model/usage.ts";
import { type Bench, MINUTE, onBench, REGIONS_3, SECOND, share } from "../../../test/support/coordinator/bench.ts";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { CONTACT_EVERY_MS } from "../../contact-every.ts";
import { missedReportCount } from "./usage.ts";

const INTERVAL_MS = 30 * SECOND;
/** By then decisions were made and handed over, and nothing is written any more but what was seen. */
const REST_AFTER_MS = 4 * MINUTE;
const ROUND: UsageSince = { requests: 1, rowsRead: 4, rowsWritten: 1, awakeMs: 700 };
const CONTACT: UsageSince = { requests: 2, rowsRead: 9, rowsWritten: 2, awakeMs: 30 };

it.each([
  ["the next", 30, 0],
  ["the next, a little late", 42, 0],
  ["one that came between two rounds", 3, 0],
  ["the one after the next", 60, 1],
  ["the third, early", 86, 2],
  ["one after an hour in which nobody was heard", 3_600, 2],
  ["one from before, by a clock that was put back", -600, 0],
])("the first word after a sleep is %s: of a sender each 30 s", (_, afterS, forgotten) => {
  expect(missedReportCount(1_000, 1_000 + afterS * SECOND, INTERVAL_MS, 2)).toBe(forgotten);
});

/** A fleet at rest: what regions, the cluster and cron send, and what that costs all objects, as somebody would count who never sleeps. */
class Fleet {
  readonly bench: Bench;
  readonly true = { probers: 0, clusters: 0, coordinators: 0 };
  #rowsBefore: number;
  #calls = 0;
  #rows = 0;

  constructor(bench: Bench) {
    this.bench = bench;
    this.#rowsBefore = bench.rowsWritten();
    this.#rows = this.#rowsBefore;
    bench.onUsed = () => this.#take();
  }

  /** What the coordinator's own meter has: it is in memory, as the rest. */
  #take(): Usage {
    const used = { ...NO_USAGE, requests: this.#calls, rowsWritten: this.bench.rowsWritten() - this.#rows };
    this.#calls = 0;
    this.#rows = this.bench.rowsWritten();
    return used;
  }

  get rowsWritten(): number {
    return this.bench.rowsWritten() - this.#rowsBefore;
  }

  sleep(): void {
    this.bench.restart();
    this.#calls = 0;
    this.#rows = this.bench.rowsWritten();
  }

  #called(): void {
    this.#calls += 1;
    this.true.coordinators += 1;
  }

  report(region: Region): void {
    for (const report of this.bench.probers.round([region])) {
      this.#called();
      this.true.probers += 1;
      this.bench.send({ ...report, usage: ROUND });
    }
  }

  contact(): void {
    this.#called();
    this.true.clusters += 1;
    const number = { epoch: this.bench.now, n: 0 };
    const decisionsNumber = this.bench.delivered.get("east")?.number ?? number;
    const word = { cluster: "east", sharesNumber: number, decisionsNumber };
    this.bench.coordination.contact({ ...word, usage: CONTACT });
  }

  async heartbeat(): Promise<void> {
    this.#called();
    this.bench.coordination.heartbeat();
    await this.bench.settle();
  }

  /** Until then (Unix ms), second by second; `sleeps` are those of the seconds since the fleet began before which memory is lost. */
  async run(untilMs: number, beganAt: number, sleeps: ReadonlySet<number>): Promise<void> {
    for (; this.bench.now < untilMs; this.bench.now += SECOND) {
      const at = this.bench.now - beganAt;
      if (sleeps.has(at / SECOND)) this.sleep();
      if (at % CONTACT_EVERY_MS === 0) this.contact();
      if (at % MINUTE === 7 * SECOND) await this.heartbeat();
      for (const [place, region] of REGIONS_3.entries()) {
        if (at % INTERVAL_MS === 3 * SECOND + place * 10 * SECOND) this.report(region);
      }
    }
  }
}

it("counts all that a coordinator at rest was told, whenever it sleeps", async () => {
  const minutes = 6;
  const anySleeps = fc.uniqueArray(fc.integer({ min: 1, max: minutes * 60 }), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(anySleeps, async (sleeps) => {
      await onBench(async (bench) => {
        bench.put("east", 1, [share(["203.0.113.10"], { check: { interval: "30s" } })]);
        await bench.settle();
        const fleet = new Fleet(bench);
        const beganAt = bench.now;
        await fleet.run(beganAt + REST_AFTER_MS, beganAt, new Set());
        const before = { ...structuredClone(bench.coordination.usage()?.days.today), rows: fleet.rowsWritten };
        const trueBefore = { ...fleet.true };
        // After the last sleep everybody is heard once more.
        const shifted = new Set(sleeps.map((second) => second + REST_AFTER_MS / SECOND));
        await fleet.run(beganAt + REST_AFTER_MS + (minutes + 2) * MINUTE, beganAt, shifted);
        const { coordinators, clusters, probers } = bench.coordination.usage()?.days.today ?? {};
        const reports = (fleet.true.probers - trueBefore.probers) / REGIONS_3.length;
        for (const region of REGIONS_3) {
          const used = { requests: reports, rowsRead: 4 * reports, rowsWritten: reports, awakeMs: 700 * reports };
          expect(differenceOf(probers?.[region], before.probers?.[region])).toEqual(used);
        }
        expect(differenceOf(clusters, before.clusters).requests).toBe(2 * (fleet.true.clusters - trueBefore.clusters));
        const own = differenceOf(coordinators, before.coordinators);
        expect(own.requests).toBe(fleet.true.coordinators - trueBefore.coordinators);
        expect(own.rowsWritten).toBe(fleet.rowsWritten - before.rows);
      });
    }),
    { numRuns: propertyRuns(15), examples: [[[264, 294, 204]]] },
  );
});

function differenceOf(after: Usage = NO_USAGE, before: Usage = NO_USAGE): Usage {
  return {
    requests: after.requests - before.requests,
    rowsRead: after.rowsRead - before.rowsRead,
    rowsWritten: after.rowsWritten - before.rowsWritten,
    awakeMs: after.awakeMs - before.awakeMs,
  };
}
