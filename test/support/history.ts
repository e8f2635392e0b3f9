import { runInDurableObject } from "cloudflare:test";
import type { Assignment } from "../../shared/model/messages/assignment.ts";
import type { Observation } from "../../shared/model/observation.ts";
import type { Probe } from "../../shared/model/probe.ts";
import type { Outcome } from "../../shared/reason.ts";
import type { CheckResult } from "../../workers/prober/check/check.ts";
import type { Prober } from "../../workers/prober/prober.ts";
import type { Round } from "../../workers/prober/schedule/round-runner.ts";
import { nextRoundAt } from "../../workers/prober/schedule/round-schedule.ts";
import type { ProbeState } from "../../workers/prober/shard/probe-state.ts";
import { ShardState } from "../../workers/prober/shard/shard-state.ts";
import { ShardStore } from "../../workers/prober/shard/shard-store.ts";
import { assignmentOf, freshProber, probeOf } from "./prober.ts";

/** A quarter of an hour begins; far ahead, or the platform's own alarms would come. */
export const T0 = Date.UTC(2100, 0, 1, 12);
export const SECOND = 1_000;
export const MINUTE = 60_000;
export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

const REASONS = { ok: "Ok", failed: "ConnectFailed", indeterminate: "InternalError" } as const;

/** What a check from 100 ms after the dial to 130 ms found. */
export function resultOf(outcome: Outcome, at: number): CheckResult {
  const phases = { connectMs: 100, firstByteMs: 120, totalMs: 130 };
  const observation: Observation = { reason: REASONS[outcome], at, phases };
  return { observation, probeResults: [] };
}

/** A shard's work over the storage of a real object, with a clock that the test moves and rounds without a wire. */
export class ShardBench {
  readonly storage: DurableObjectStorage;
  readonly intervalMs: number;
  readonly probes: Probe[];
  work: ShardState;
  now = T0;
  #n = 0;

  constructor(storage: DurableObjectStorage, intervalMs: number, ids: readonly string[]) {
    this.storage = storage;
    this.intervalMs = intervalMs;
    this.probes = ids.map((id) => probeOf(id, 80));
    this.work = new ShardState(new ShardStore(storage));
    this.assign(this.probes);
  }

  get assignment(): Assignment {
    return assignmentOf(this.#n, this.probes, this.intervalMs);
  }

  assign(probes: readonly Probe[]): void {
    this.probes.splice(0, this.probes.length, ...probes);
    this.#n += 1;
    this.work.take(this.assignment, this.now);
    this.work.save(this.now);
  }

  /** Memory is lost. */
  evict(): void {
    this.work = new ShardState(new ShardStore(this.storage));
  }

  /** The next round that is due, `lateMs` late; probes without an outcome get no slot. */
  round(outcomes: Readonly<Record<string, Outcome>>, lateMs = 0): void {
    const due = nextRoundAt(this.now, this.assignment.shard);
    this.now = due + lateMs;
    this.#count(outcomes, { roundAt: this.now, lateMs, isConfirmation: false });
  }

  /** Whether no round is due by then. */
  isBetween(afterMs: number): boolean {
    return this.now + afterMs < nextRoundAt(this.now, this.assignment.shard);
  }

  /** Some probes are checked alone, this long after what was before. */
  confirm(outcomes: Readonly<Record<string, Outcome>>, afterMs: number): void {
    this.now += afterMs;
    this.#count(outcomes, { roundAt: this.now, lateMs: 0, isConfirmation: true });
  }

  #count(outcomes: Readonly<Record<string, Outcome>>, round: Round): void {
    const results = this.work.byAge().flatMap((member): [ProbeState, CheckResult][] => {
      const outcome = outcomes[member.probe.id];
      return outcome === undefined ? [] : [[member, resultOf(outcome, this.now)]];
    });
    this.work.count(results, round);
    this.work.save(this.now);
  }

  points(span: "6h" | "7d" | "90d", probe: string, stepMs = { "6h": MINUTE, "7d": 15 * MINUTE, "90d": HOUR }[span]) {
    return this.work.history({ span, stepMs, probes: [probe] }, this.now)[0]?.points ?? [];
  }

  rows(): { level: number; at: number; characters: number }[] {
    const query = "SELECT level, at, LENGTH(body) AS characters FROM history ORDER BY level, at";
    return this.storage.sql.exec<{ level: number; at: number; characters: number }>(query).toArray();
  }
}

/** Runs with the storage of a fresh object. */
export function onShard<Value>(
  { intervalMs = 30 * SECOND, ids = ["a"] }: { intervalMs?: number; ids?: string[] },
  run: (bench: ShardBench) => Value | Promise<Value>,
): Promise<Value> {
  const stub = freshProber() as DurableObjectStub<Prober>;
  return runInDurableObject(stub, (_, { storage }) => run(new ShardBench(storage, intervalMs, ids)));
}

export function wipe({ sql }: DurableObjectStorage): void {
  for (const table of ["schema_version", "object", "assignment", "probe", "marks", "history"]) {
    sql.exec(`DROP TABLE IF EXISTS ${table}`);
  }
}

/** All checks of some points together. */
export function total(points: readonly Record<Outcome, number>[]): Record<Outcome, number> {
  const all = { ok: 0, failed: 0, indeterminate: 0 };
  for (const point of points)
    for (const outcome of ["ok", "failed", "indeterminate"] as const) all[outcome] += point[outcome];
  return all;
}
