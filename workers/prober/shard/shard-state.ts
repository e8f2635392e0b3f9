import type { Budget } from "../../../shared/budget.ts";
import { spend } from "../../../shared/budget.ts";
import type { Assignment, Shard } from "../../../shared/model/messages/assignment.ts";
import type { Report } from "../../../shared/model/messages/report.ts";
import type { MessageNumber } from "../../../shared/model/number.ts";
import type { Probe } from "../../../shared/model/probe.ts";
import { isNewer, NO_NUMBER } from "../../../shared/number.ts";
import { errorMessage } from "../../retry.ts";
import type { HistoryQuestion, ProbePoints } from "../../rpc.ts";
import type { CheckResult } from "../check/check.ts";
import { History } from "../history/history.ts";
import {
  budgetRule,
  confirmationsDueBy,
  nextConfirmationAt,
  requestRecheck,
} from "../schedule/confirmation-schedule.ts";
import type { Round, RoundWindow, Wake } from "../schedule/round-runner.ts";
import { lastRoundAt, nextRoundAt, roundAfter, roundFrom } from "../schedule/round-schedule.ts";
import type { ProbeState, StoredProbeState } from "./probe-state.ts";
import { applyResult, probeReportOf, reconcileProbes, storedStateOf } from "./probe-state.ts";
import type { ShardStore, StoredShard } from "./shard-store.ts";

/** What a shard has to do and how its probes stand, in memory, with the storage behind it. */
export class ShardState {
  readonly #store: ShardStore;
  #held: Omit<StoredShard, "probes" | "marks" | "history" | "budget"> | undefined;
  #members = new Map<string, ProbeState>();
  #history = new History(undefined);
  #budget: Budget | undefined;
  #unsaved: Assignment | undefined;
  #lastReport = 0;
  #lastRound: Pick<Round, "roundAt" | "lateMs"> | undefined;

  constructor(store: ShardStore) {
    this.#store = store;
    const held = store.read();
    if (held === undefined) return;
    this.#held = held;
    this.#members = reconcileProbes(new Map(), held.probes, held.marks);
    this.#history = new History(held.history);
    this.#budget = held.budget;
  }

  get number(): MessageNumber {
    return this.#held?.number ?? NO_NUMBER;
  }

  get shard(): StoredShard["shard"] | undefined {
    return this.#held?.shard;
  }

  get isEmpty(): boolean {
    return this.#members.size === 0;
  }

  /** The longest timeout of a probe, in milliseconds. */
  get longestMs(): number {
    return Math.max(0, ...this.#probes().map((probe) => probe.timeoutMs));
  }

  /** All members, those that were checked longest ago first: where slots are short, each gets its turn. */
  byAge(): ProbeState[] {
    return [...this.#members.values()].sort((a, b) => (a.checkedAt ?? 0) - (b.checkedAt ?? 0));
  }

  /** Takes an assignment if it is newer; it is stored by `save`, since a write must not delay a round. */
  take(assignment: Assignment, now: number): void {
    if (!isNewer(assignment.number, this.number)) return;
    this.#members = reconcileProbes(this.#members, assignment.probes, new Map());
    this.#held = { epoch: this.#held?.epoch ?? now, number: assignment.number, shard: assignment.shard };
    this.#unsaved = assignment;
  }

  /** Counts results, in order. Those of a probe that was taken away, or changed, while it was checked are dropped. */
  count(results: readonly [ProbeState, CheckResult][], round: Round): void {
    if (!round.isConfirmation) this.#lastRound = { roundAt: round.roundAt, lateMs: round.lateMs };
    const current = results.filter(([member]) => this.#members.get(member.probe.id) === member);
    for (const [member, result] of current) applyResult(member, result);
    this.#note(current, round);
  }

  /** Writes what storage does not have: nothing, after a round that changed nothing. */
  save(now: number): void {
    if (this.#held === undefined) return;
    if (this.#unsaved !== undefined) this.#held.epoch = this.#store.writeAssignment(this.#unsaved, now);
    if (this.#unsaved !== undefined && this.isEmpty) this.#history.clear();
    this.#unsaved = undefined;
    this.#store.writeMarks(this.#marks(), this.#history, this.#budget);
  }

  /** What was seen of probes until now (Unix ms); nothing where nothing was ever assigned. */
  history(question: HistoryQuestion, now: number): ProbePoints[] {
    const { tables } = this.#store;
    if (tables === undefined || this.#held === undefined) return [];
    return this.#history.read(tables, question, now, this.#held.shard);
  }

  /**
   * The report of a round, or of confirmations: these tell of the round before them, since when all that does not lag was
   * checked. Its number rises with the clock, so that it needs no row to outlive an eviction.
   */
  report(results: ReadonlyMap<ProbeState, CheckResult>, round: Round, now: number): Report | undefined {
    if (this.#held === undefined) return undefined;
    this.#lastReport = Math.max(this.#lastReport + 1, now);
    const { roundAt, lateMs } = this.#roundOf(round, this.#held.shard);
    return {
      version: 1,
      shard: this.#held.shard,
      number: { epoch: this.#held.epoch, n: this.#lastReport },
      assignment: this.#held.number,
      roundAt,
      lateMs,
      probes: [...this.#members.values()].map((member) => probeReportOf(member, results.get(member))),
    };
  }

  /** When the round after one that begins now is due (Unix ms); undefined without probes. */
  roundAfter(now: number): number | undefined {
    return this.#held === undefined || this.isEmpty ? undefined : roundAfter(now, this.#held.shard);
  }

  /** The first round that is due after this moment (Unix ms); undefined without probes. */
  nextRoundAt(now: number): number | undefined {
    return this.#held === undefined || this.isEmpty ? undefined : nextRoundAt(now, this.#held.shard);
  }

  /**
   * The purpose of a wake-up that was due at a time (Unix ms). All rounds before that have run, so the first one since is the
   * next. Undefined without probes.
   */
  wakeFor(dueAt: number): Wake | undefined {
    if (this.#held === undefined || this.isEmpty) return undefined;
    return { at: dueAt, roundDueAt: roundFrom(dueAt, this.#held.shard) };
  }

  /** When something is due next, given the next round (both Unix ms); undefined without probes. */
  nextWakeAt(roundDueAt: number | undefined): number | undefined {
    if (roundDueAt === undefined || this.isEmpty) return undefined;
    return this.confirmAt({ roundDueAt, isBusy: () => false }) ?? roundDueAt;
  }

  /** When probes are to be checked before the next round (Unix ms); undefined if none are. */
  confirmAt(until: RoundWindow<ProbeState>): number | undefined {
    if (this.#held === undefined) return undefined;
    return nextConfirmationAt(this.#members.values(), until, this.#budget, budgetRule(this.#held.shard.intervalMs));
  }

  /** The probes that are to be checked by then (Unix ms), before the next round; what that costs is taken from the budget. */
  confirmations(atMs: number, until: RoundWindow<ProbeState>): ProbeState[] {
    const members = confirmationsDueBy(this.byAge(), atMs, until);
    if (this.#held === undefined || members.length === 0) return [];
    const budget = spend(this.#budget, budgetRule(this.#held.shard.intervalMs), atMs);
    if (budget === undefined) return [];
    this.#budget = budget;
    for (const member of members) member.recheckAt = undefined;
    return members;
  }

  /** Notes which probes are to be looked at, since another region saw something else; whether there are any. */
  requestRecheck(probes: readonly string[], now: number): boolean {
    const members = probes.flatMap((id) => this.#members.get(id) ?? []);
    return members.filter((member) => requestRecheck(member, now)).length > 0;
  }

  #roundOf(round: Round, shard: Shard): Pick<Round, "roundAt" | "lateMs"> {
    if (!round.isConfirmation) return round;
    return this.#lastRound ?? { roundAt: lastRoundAt(round.roundAt, shard), lateMs: 0 };
  }

  /** Puts the results into history, which never hurts a round. */
  #note(results: readonly [ProbeState, CheckResult][], round: Round): void {
    if (this.#held === undefined || results.length === 0) return;
    try {
      const checks = results.map(([{ probe }, { observation }]) => ({ probe: probe.id, observation }));
      this.#history.take(checks, { ...round, shard: this.#held.shard, members: this.#members });
    } catch (error) {
      console.error("History could not take a round:", errorMessage(error));
    }
  }

  #probes(): Probe[] {
    return [...this.#members.values()].map((member) => member.probe);
  }

  #marks(): Map<string, StoredProbeState> {
    return new Map([...this.#members].map(([id, member]) => [id, storedStateOf(member)]));
  }
}
