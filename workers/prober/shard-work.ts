import type { Assignment } from "../../shared/model/messages/assignment.ts";
import type { Report } from "../../shared/model/messages/report.ts";
import type { MessageNumber } from "../../shared/model/number.ts";
import type { Probe } from "../../shared/model/probe.ts";
import { isNewer, NO_NUMBER } from "../../shared/number.ts";
import { errorMessage } from "../retry.ts";
import type { HistoryQuestion, ProbePoints } from "../rpc.ts";
import type { CheckResult } from "./check.ts";
import { History } from "./history/history.ts";
import type { Mark, Member } from "./members.ts";
import { markOf, reconcile, reportOf, take } from "./members.ts";
import { nextRoundAt, roundAfter } from "./phase.ts";
import type { Round } from "./pump.ts";
import type { Held, Store } from "./store.ts";

/** What a shard has to do and how its probes stand, in memory, with the storage behind it. */
export class ShardWork {
  readonly #store: Store;
  #held: Omit<Held, "probes" | "marks" | "history"> | undefined;
  #members = new Map<string, Member>();
  #history = new History(undefined);
  #unsaved: Assignment | undefined;
  #lastReport = 0;

  constructor(store: Store) {
    this.#store = store;
    const held = store.read();
    if (held === undefined) return;
    this.#held = held;
    this.#members = reconcile(new Map(), held.probes, held.marks);
    this.#history = new History(held.history);
  }

  get number(): MessageNumber {
    return this.#held?.number ?? NO_NUMBER;
  }

  get shard(): Held["shard"] | undefined {
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
  byAge(): Member[] {
    return [...this.#members.values()].sort((a, b) => (a.checkedAt ?? 0) - (b.checkedAt ?? 0));
  }

  /** Takes an assignment if it is newer; it is stored by `save`, since a round must not be held up by a write. */
  take(assignment: Assignment, now: number): void {
    if (!isNewer(assignment.number, this.number)) return;
    this.#members = reconcile(this.#members, assignment.probes, new Map());
    this.#held = { epoch: this.#held?.epoch ?? now, number: assignment.number, shard: assignment.shard };
    this.#unsaved = assignment;
  }

  /** Counts results, in order. Those of a probe that was taken away, or changed, while it was checked are dropped. */
  count(results: readonly [Member, CheckResult][], round: Round): void {
    const current = results.filter(([member]) => this.#members.get(member.probe.id) === member);
    for (const [member, result] of current) take(member, result);
    this.#note(current, round);
  }

  /** Writes what storage does not have: nothing, after a round that changed nothing. */
  save(now: number): void {
    if (this.#held === undefined) return;
    if (this.#unsaved !== undefined) this.#held.epoch = this.#store.writeAssignment(this.#unsaved, now);
    if (this.#unsaved !== undefined && this.isEmpty) this.#history.clear();
    this.#unsaved = undefined;
    this.#store.writeMarks(this.#marks(), this.#history);
  }

  /** What was seen of probes until now (Unix ms); nothing where nothing was ever assigned. */
  history(question: HistoryQuestion, now: number): ProbePoints[] {
    const { tables } = this.#store;
    if (tables === undefined || this.#held === undefined) return [];
    return this.#history.read(tables, question, now, this.#held.shard);
  }

  /** The report of a round. Its number rises with the clock, so that it needs no row to outlive an eviction. */
  report(results: ReadonlyMap<Member, CheckResult>, round: Round & { colo?: string }, now: number): Report | undefined {
    if (this.#held === undefined) return undefined;
    this.#lastReport = Math.max(this.#lastReport + 1, now);
    return {
      version: 1,
      shard: this.#held.shard,
      number: { epoch: this.#held.epoch, n: this.#lastReport },
      assignment: this.#held.number,
      ...round,
      probes: [...this.#members.values()].map((member) => reportOf(member, results.get(member))),
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

  /** Puts the results into history, which never hurts a round. */
  #note(results: readonly [Member, CheckResult][], round: Round): void {
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

  #marks(): Map<string, Mark> {
    return new Map([...this.#members].map(([id, member]) => [id, markOf(member)]));
  }
}
