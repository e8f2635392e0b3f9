import type { Check } from "./in-flight.ts";
import { InFlightChecks } from "./in-flight.ts";

/** What is due sooner than this is waited for: an alarm and its row cost as much as 0.7 s awake. */
export const LINGER_MS = 700;
/** A pump takes no longer than this in all. */
const PUMP_MS = 60_000;
/** How much longer than the longest timeout a round waits for the last of its checks. */
const GRACE_MS = 100;
/** How often a pump that waits for what hangs asks whether something else has become due. */
const STIR_MS = 1_000;

/** A round, or confirmations of a few probes between two of them. */
export interface Round {
  /** When it began, Unix ms, and how late that was; confirmations, which wait for their turn, are never late. */
  roundAt: number;
  lateMs: number;
  isConfirmation: boolean;
}

/** What is settled: with a round may come what was to be confirmed when it began. */
export interface SettledRound extends Round {
  hasConfirmed: boolean;
}

/** Why a pump runs: for what is due at `at`, with the first round since the last one due at `roundDueAt` (both Unix ms). */
export interface Wake {
  at: number;
  roundDueAt: number;
}

/** The round that is due next, Unix ms, and who is asked at the moment. */
export interface RoundWindow<Item> {
  roundDueAt: number;
  isBusy: (item: Item) => boolean;
}

/** What a pump works on; `Item` is a probe with its state, `Result` what its check gives. */
export interface RoundRunnerDependencies<Item, Result> {
  now: () => number;
  /** All that is due at each round, those that waited longest first. */
  items: () => Iterable<Item>;
  /** When something is to be confirmed before the round (Unix ms); undefined if nothing is. */
  confirmAt: (until: RoundWindow<Item>) => number | undefined;
  /** What is to be confirmed by that moment. No probe may be due again before it was checked. */
  confirmations: (atMs: number, until: RoundWindow<Item>) => readonly Item[];
  check: Check<Item, Result>;
  /** When the round after this moment is due (Unix ms); undefined if there is nothing to do any more. */
  roundAfter: (now: number) => number | undefined;
  /** The longest that a check may take once it has its slot. */
  longestMs: () => number;
  /** Counts, stores and reports what was checked since the last time, in order. Must not reject. */
  settle: (results: [Item, Result][], round: SettledRound) => Promise<void>;
}

/**
 * Runs what is due, round or confirmations, and what follows within 0.7 s (docs/design/prober.md). Answers when the round after
 * the last one is due (Unix ms), undefined where none is.
 */
export async function runRounds<Item, Result>(
  parts: RoundRunnerDependencies<Item, Result>,
  wake: Wake,
): Promise<number | undefined> {
  return new RoundRunner(parts, wake.roundDueAt).run(wake.at);
}

class RoundRunner<Item, Result> {
  readonly #parts: RoundRunnerDependencies<Item, Result>;
  readonly #flight: InFlightChecks<Item, Result>;
  readonly #closeAt: number;
  #roundDueAt: number;
  #round: Round | undefined;
  /** Each round is reported, also when no check has finished. */
  #isOwed = false;

  constructor(parts: RoundRunnerDependencies<Item, Result>, roundDueAt: number) {
    this.#parts = parts;
    this.#flight = new InFlightChecks(parts.check);
    this.#closeAt = parts.now() + PUMP_MS - parts.longestMs();
    this.#roundDueAt = roundDueAt;
  }

  async run(firstAt: number): Promise<number | undefined> {
    const { now } = this.#parts;
    let at = firstAt;
    try {
      for (;;) {
        await this.#begin(at);
        at = await this.#outlast();
        if (now() >= this.#closeAt) break;
        if (this.#flight.isEmpty && (at - now() > LINGER_MS || at >= this.#closeAt)) break;
        await sleep(at - now());
      }
      await this.#flight.close();
      await this.#settle();
    } finally {
      await this.#flight.close();
    }
    return Number.isFinite(this.#roundDueAt) ? this.#roundDueAt : undefined;
  }

  async #begin(at: number): Promise<void> {
    const now = this.#parts.now();
    const atMs = Math.max(at, now);
    if (atMs >= this.#roundDueAt) await this.#beginRound(now);
    else await this.#confirm(now, atMs);
  }

  /**
   * Settles when all checks are done. Otherwise it settles when those that overran from the last round must be, and when all that
   * had slots at once must be. So a leaf that hangs, or waits for a slot, delays no other result.
   */
  async #beginRound(now: number): Promise<void> {
    this.#round = { roundAt: now, lateMs: Math.max(0, now - this.#roundDueAt), isConfirmation: false };
    this.#isOwed = true;
    this.#flight.startRound(this.#parts.items());
    this.#roundDueAt = this.#parts.roundAfter(now) ?? Number.POSITIVE_INFINITY;
    if (this.#flight.hasOverrun) await this.#land(now + GRACE_MS);
    await this.#land(now + this.#parts.longestMs() + GRACE_MS);
  }

  async #confirm(now: number, atMs: number): Promise<void> {
    const items = this.#parts.confirmations(atMs, this.#until());
    if (items.length === 0) return;
    this.#round = { roundAt: now, lateMs: 0, isConfirmation: true };
    this.#flight.startConfirmations(items);
    await this.#land(now + this.#parts.longestMs() + GRACE_MS, items);
  }

  /** Settles what is done then, or when all is (of these, where some are named), at most until the next round is due. */
  async #land(atMs: number, items?: readonly Item[]): Promise<void> {
    const untilMs = Math.min(atMs, this.#roundDueAt, this.#closeAt);
    await this.#flight.done(untilMs - this.#parts.now(), items);
    await this.#settle();
  }

  /** Waits for what hangs, or waits for a slot, until something else is due; answers when that is. */
  async #outlast(): Promise<number> {
    for (;;) {
      const nextAt = Math.min(this.#roundDueAt, this.#parts.confirmAt(this.#until()) ?? Number.POSITIVE_INFINITY);
      const leftMs = Math.min(nextAt, this.#closeAt) - this.#parts.now();
      if (this.#flight.isEmpty) return nextAt;
      if (leftMs <= 0) {
        await this.#settle({ isLast: true });
        return nextAt;
      }
      await this.#flight.done(Math.min(leftMs, STIR_MS));
      if (this.#flight.isEmpty) await this.#settle();
    }
  }

  /** Without results it reports only a round that was not reported yet, once that is over or the next one begins. */
  async #settle({ isLast = this.#flight.isEmpty } = {}): Promise<void> {
    const { results, hasConfirmed } = this.#flight.take();
    const isOwed = this.#isOwed && isLast;
    if (this.#round === undefined || (results.length === 0 && !isOwed)) return;
    this.#isOwed = false;
    await this.#parts.settle(results, { ...this.#round, hasConfirmed });
  }

  #until(): RoundWindow<Item> {
    return { roundDueAt: this.#roundDueAt, isBusy: (item) => this.#flight.has(item) };
  }
}

function sleep(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, durationMs)));
}
