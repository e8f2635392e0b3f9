import { confirmAt } from "../../../shared/health/confirm.ts";
import { count, NO_COUNTS } from "../../../shared/health/count.ts";
import type { Assignment } from "../../../shared/model/messages/assignment.ts";
import type { ProbeReport, Report } from "../../../shared/model/messages/report.ts";
import type { Counts, Probe } from "../../../shared/model/probe.ts";
import type { Region } from "../../../shared/model/region.ts";
import { isNewer } from "../../../shared/number.ts";
import { outcomeOf, type Reason } from "../../../shared/reason.ts";
import { nextRoundAt } from "../../../workers/prober/schedule/round-schedule.ts";

type Held = { probe: Probe; counts: Counts; checkedAt?: number; reason: Reason };

/** How a check of a leaf from a region goes. */
export type Outcome = (leaf: string, region: Region) => Reason;

/** A prober by its messages: it counts by the shared rules, looks again while it is unsettled, and dials nothing. */
export class SimulatedProber {
  #assignment: Assignment;
  #held = new Map<string, Held>();
  readonly #epoch = Date.now();
  #n = 0;
  #roundAt = 0;

  constructor(assignment: Assignment) {
    this.#assignment = assignment;
    this.#hold(assignment);
  }

  get isEmpty(): boolean {
    return this.#held.size === 0;
  }

  take(assignment: Assignment): void {
    if (!isNewer(assignment.number, this.#assignment.number)) return;
    this.#assignment = assignment;
    this.#hold(assignment);
  }

  #hold({ probes }: Assignment): void {
    const before = this.#held;
    this.#held = new Map(
      probes.map((probe) => {
        const held = before.get(probe.id);
        const counts = held?.probe.revision === probe.revision ? held.counts : (probe.carried ?? NO_COUNTS);
        return [probe.id, { ...held, reason: held?.reason ?? "Ok", probe, counts }];
      }),
    );
  }

  /** When its next round is due, Unix ms. */
  nextRoundAt(nowMs: number): number {
    return nextRoundAt(nowMs, this.#assignment.shard);
  }

  /** When it is to look again at what is unsettled, Unix ms; undefined where nothing is. */
  confirmAt(): number | undefined {
    const dues = [...this.#held.values()].flatMap((held) => confirmAt(held, held.probe.confirmIntervalMs) ?? []);
    return dues.length === 0 ? undefined : Math.min(...dues);
  }

  /** Checks everything, or only these probes, and tells of all. */
  report(nowMs: number, outcome: Outcome, only?: ReadonlySet<string>): Report {
    this.#n += 1;
    if (only === undefined) this.#roundAt = nowMs;
    const { shard, number } = this.#assignment;
    const probes = [...this.#held.values()].map((held) => {
      if (only === undefined || only.has(held.probe.id)) check(held, nowMs, outcome, shard.region);
      return entryOf(held);
    });
    const head = { version: 1, shard, number: { epoch: this.#epoch, n: this.#n }, assignment: number } as const;
    return { ...head, roundAt: this.#roundAt, lateMs: 3, colo: "BEN", probes };
  }

  /** Which probes are to be looked at again by now. */
  dueAgain(nowMs: number): Set<string> {
    const due = [...this.#held.values()].filter(
      (held) => (confirmAt(held, held.probe.confirmIntervalMs) ?? Number.POSITIVE_INFINITY) <= nowMs,
    );
    return new Set(due.map(({ probe }) => probe.id));
  }
}

function check(held: Held, nowMs: number, outcome: Outcome, region: Region): void {
  held.reason = outcome(held.probe.target.leaf, region);
  held.counts = count(held.counts, outcomeOf(held.reason), held.probe);
  held.checkedAt = nowMs;
}

function entryOf({ probe, counts, checkedAt, reason }: Held): ProbeReport {
  const head = { id: probe.id, revision: probe.revision, counts: { ...counts } };
  if (checkedAt === undefined) return head;
  const phases = { connectMs: 4, tlsMs: 6, firstByteMs: 9, totalMs: 12 };
  const said = reason === "Ok" ? { httpStatus: 200 } : { message: "no answer to the dial within the timeout" };
  return { ...head, checkedAt, observation: { reason, at: checkedAt, phases, ...said } };
}
