import { nextSendAt } from "../../shared/accumulator.ts";
import type { Kind } from "../kubernetes/kinds.ts";
import { type KubeObject, type ObjectRef, refKey } from "../kubernetes/object.ts";
import { LogOnChange } from "../runtime/log-on-change.ts";
import { Alarm } from "./alarm.ts";
import type { Desired } from "./desired.ts";
import { Entries } from "./entries.ts";
import { attempt, type Outcome } from "./execute.ts";
import { type Entry, type Judgement, judge, type Trouble, troubleOfOutcome } from "./next-action.ts";
import type { WriterOptions } from "./options.ts";
import type { ObjectCache } from "./ports.ts";
import { calmAtMs, noteHurry, noteOutcome } from "./retry-state.ts";
import { Waiters } from "./waiters.ts";

/** An object needs its main part written and its status. */
const STEPS_AT_ONCE = 2;
const UNEXPECTED_MS = 60_000;

/**
 * Makes objects as wanted: each for itself, one write an object at a time. One that fails, or that is fought over, waits for
 * itself alone.
 */
export class ApplyQueue {
  readonly #options: WriterOptions;
  readonly #noted: LogOnChange;
  readonly #entries = new Entries();
  readonly #gated = new Set<Entry>();
  readonly #queue: Entry[] = [];
  readonly #alarm: Alarm;
  /** Whose own write's answer goes into the cache just now: that is no change by others. */
  #answered: Entry | undefined;
  #running = 0;
  #sending: { lastSentAt?: number; dirtySince?: number } = {};
  #lastRefreshAtMs = Number.NEGATIVE_INFINITY;
  readonly #waiters = new Waiters();
  #stopped = false;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#noted = new LogOnChange(options.log);
    this.#alarm = new Alarm(() => this.#pass(), options.elapsedMs);
  }

  /** From now on this is wanted, and nothing else. */
  want(desired: Desired, refreshTimes: boolean): void {
    this.#entries.want(desired, refreshTimes, this.#options.cacheOf);
    for (const entry of this.#entries.all()) this.#mark(entry);
  }

  /** The cache says something new of an object. */
  changed(kind: Kind, ref: ObjectRef): void {
    const entry = this.#entries.find(kind, ref);
    if (entry !== undefined && entry !== this.#answered) this.#mark(entry);
  }

  /** Tries at once what is wanted, also what failed or was overtaken a moment ago. Resolves when each has been tried. */
  async hurry(): Promise<void> {
    const left = new Map<Entry, number>();
    for (const entry of this.#entries.all()) {
      noteHurry(entry.patience);
      if (entry.dueAtMs === undefined) continue;
      entry.dueAtMs = this.#options.elapsedMs();
      left.set(entry, entry.looks);
    }
    this.#pass();
    await this.#until(() => left.entries().every(([entry, looks]) => entry.looks > looks));
  }

  /** Resolves when nothing is left that can be written now or, after a failure, soon. */
  flushed(): Promise<void> {
    return this.#until(() => !this.#entries.all().some(({ dueAtMs, isAwaited }) => dueAtMs !== undefined && isAwaited));
  }

  troubles(): Trouble[] {
    return [...this.#entries.all()].flatMap(({ trouble, haste }) => trouble ?? haste ?? []);
  }

  /** Begins nothing more. Resolves when what is under way has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#alarm.clear();
    for (const entry of this.#queue.splice(0)) entry.isBusy = false;
    await this.#until(() => true);
    this.#waiters.look();
  }

  #mark(entry: Entry): void {
    const { elapsedMs, windowMs } = this.#options;
    this.#sending.dirtySince ??= elapsedMs();
    const dueAtMs = nextSendAt(this.#sending, windowMs) ?? elapsedMs();
    entry.dueAtMs = Math.min(entry.dueAtMs ?? dueAtMs, dueAtMs);
    entry.isAwaited = true;
    this.#arm(entry);
  }

  #arm({ dueAtMs, isBusy }: Entry): void {
    if (dueAtMs !== undefined && !isBusy && !this.#stopped) this.#alarm.set(dueAtMs);
  }

  /** Looks at all that is due, and begins what can be begun. */
  #pass(): void {
    if (this.#stopped) return;
    const { elapsedMs, windowMs } = this.#options;
    const nowMs = elapsedMs();
    const queued = this.#queue.length;
    for (const entry of this.#entries.all())
      if (!entry.isBusy && entry.dueAtMs !== undefined && entry.dueAtMs <= nowMs) this.#look(entry);
    if ((nextSendAt(this.#sending, windowMs) ?? Number.POSITIVE_INFINITY) <= nowMs) delete this.#sending.dirtySince;
    if (this.#queue.length > queued) this.#sending.lastSentAt = nowMs;
    for (const entry of this.#entries.all()) this.#arm(entry);
    this.#pump();
  }

  #look(entry: Entry): void {
    entry.dueAtMs = undefined;
    entry.isAwaited = false;
    entry.haste = undefined;
    entry.looks += 1;
    this.#gated.delete(entry);
    const judgement = this.#judge(entry);
    if (judgement.type === "Write") {
      entry.isBusy = true;
      this.#queue.push(entry);
      return;
    }
    this.#tell(entry, judgement.trouble);
    if (judgement.type === "Settled") {
      this.#settled(entry);
      return;
    }
    entry.dueAtMs = judgement.untilMs;
    entry.isAwaited = judgement.isAwaited;
    entry.haste = judgement.haste;
    if (judgement.isGated) this.#gated.add(entry);
  }

  #judge(entry: Entry): Judgement {
    const { cacheOf, isSynced, mayWrite = () => true, elapsedMs, random } = this.#options;
    return judge(entry, {
      cacheOf,
      isSynced,
      mayWrite,
      scopes: this.#entries.scopes,
      publishersOf: (name) => this.#entries.publishersOf(name),
      nowMs: elapsedMs(),
      random,
      nextRefreshAtMs: () => this.#nextRefreshAt(),
    });
  }

  #nextRefreshAt(): number {
    const { refreshesPerSecond, elapsedMs } = this.#options;
    this.#lastRefreshAtMs = Math.max(elapsedMs(), this.#lastRefreshAtMs + 1000 / refreshesPerSecond);
    return this.#lastRefreshAtMs;
  }

  #settled(entry: Entry): void {
    entry.refresh = undefined;
    if (entry.wanted === undefined && calmAtMs(entry.patience) <= this.#options.elapsedMs())
      this.#entries.forget(entry);
  }

  #tell(entry: Entry, trouble: Trouble | undefined): void {
    const about = `${entry.kind.kind} ${refKey(entry.ref)}`;
    const isOther = trouble?.message !== entry.trouble?.message;
    entry.trouble = trouble;
    if (isOther) this.#options.onTrouble(entry.kind);
    this.#noted.note(
      about,
      trouble && `${about} is not as it should be: ${trouble.message}`,
      `${about} is as it should be again`,
    );
  }

  #pump(): void {
    while (this.#running < this.#options.concurrency) {
      const entry = this.#queue.shift();
      if (entry === undefined) break;
      this.#running += 1;
      this.#write(entry)
        .catch((error: Error) => this.#failed(entry, error))
        .finally(() => this.#written(entry));
    }
    if (this.#running === 0) this.#idle();
  }

  async #write(entry: Entry): Promise<void> {
    const { kind, ref, patience } = entry;
    const { client, cacheOf, elapsedMs, random } = this.#options;
    const cache = this.#answeredBy(entry, cacheOf(kind));
    for (let steps = 0; steps < STEPS_AT_ONCE && !this.#stopped; steps += 1) {
      const judgement = this.#judge(entry);
      if (judgement.type !== "Write") return;
      const version = cache.get(ref)?.metadata.resourceVersion ?? "";
      const outcome: Outcome = await attempt(judgement.step, { client, cache, kind, ref });
      noteOutcome(patience, judgement.step, outcome, { version, nowMs: elapsedMs(), random: random() });
      if (outcome.type !== "Done") {
        this.#tell(entry, troubleOfOutcome(entry, outcome));
        return;
      }
      entry.refresh = undefined;
    }
  }

  #answeredBy(entry: Entry, cache: ObjectCache): Pick<ObjectCache, "get" | "put"> {
    const put = (object: KubeObject) => {
      this.#answered = entry;
      cache.put(object);
      this.#answered = undefined;
    };
    return { get: (ref) => cache.get(ref), put };
  }

  /** An error that is no answer of the API: ours. */
  #failed(entry: Entry, { message }: Error): void {
    const { kind, ref } = entry;
    this.#tell(entry, { kind, ref, reason: "Unavailable", message, isRetryable: true });
    entry.dueAtMs = this.#options.elapsedMs() + UNEXPECTED_MS;
  }

  #written(entry: Entry): void {
    this.#running -= 1;
    entry.isBusy = false;
    const isDue = entry.dueAtMs === undefined || entry.dueAtMs <= this.#options.elapsedMs();
    if (isDue && !this.#stopped) this.#look(entry);
    this.#arm(entry);
    this.#pump();
  }

  /** What waits for another object to be there may go on. */
  #idle(): void {
    for (const entry of [...this.#gated]) {
      this.#look(entry);
      this.#arm(entry);
    }
    if (this.#queue.length > 0) this.#pump();
    else this.#waiters.look();
  }

  /** Resolves as soon as nothing is under way and the condition is met, or the lane stopped. */
  #until(isMet: () => boolean): Promise<void> {
    const met = this.#waiters.until(
      () => this.#running === 0 && this.#queue.length === 0 && (this.#stopped || isMet()),
    );
    this.#waiters.look();
    return met;
  }
}
