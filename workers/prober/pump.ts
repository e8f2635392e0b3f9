/** A round that is due sooner than this is waited for: an alarm and its row cost as much as 0.7 s awake. */
const LINGER_MS = 700;
/** A pump takes no longer than this in all. */
const PUMP_MS = 60_000;
/** How much longer than the longest timeout a round waits for the last of its checks. */
const GRACE_MS = 100;

export interface Round {
  /** When it began, Unix ms, and how late that was. */
  roundAt: number;
  lateMs: number;
}

/** What a pump works on; `Item` is a probe with its state, `Result` what its check gives. */
export interface PumpParts<Item, Result> {
  now: () => number;
  /** All that is due at each round, those that waited longest first. */
  items: () => Iterable<Item>;
  /** Checks an item; undefined if it got no slot before `closing`. Must not reject. */
  check: (item: Item, closing: AbortSignal) => Promise<Result | undefined>;
  /** When the round after this moment is due (Unix ms); undefined if there is nothing to do any more. */
  roundAfter: (now: number) => number | undefined;
  /** The longest that a check may take once it has its slot. */
  longestMs: () => number;
  /** Counts, stores and reports what was checked since the last time, in order. Must not reject. */
  settle: (results: [Item, Result][], round: Round) => Promise<void>;
}

/**
 * Runs the round that is due, and those that follow within 0.7 s (design §2, prober). Answers when the round after the
 * last one is due (Unix ms), undefined where none is.
 */
export async function pump<Item, Result>(parts: PumpParts<Item, Result>, dueAt: number): Promise<number | undefined> {
  const flight = new Flight(parts);
  const closeAt = parts.now() + PUMP_MS - parts.longestMs();
  let due = dueAt;
  try {
    for (;;) {
      const round = { roundAt: parts.now(), lateMs: Math.max(0, parts.now() - due) };
      flight.launch();
      const next = parts.roundAfter(round.roundAt);
      const nextAt = next ?? Number.POSITIVE_INFINITY;
      await land(parts, flight, round, Math.min(nextAt, closeAt));
      if (parts.now() >= closeAt) {
        await flight.close();
        const rest = flight.take();
        if (rest.length > 0) await parts.settle(rest, round);
        return next;
      }
      if (flight.isEmpty && (nextAt - parts.now() > LINGER_MS || nextAt >= closeAt)) return next;
      await sleep(nextAt - parts.now());
      due = nextAt;
    }
  } finally {
    await flight.close();
  }
}

/**
 * Settles a round when all of it is done; else when those that ran over from the last one must be, when all that had
 * slots at once must be, and when the next is due. So a leaf that hangs, or waits for a slot, holds up no other's word.
 */
async function land<Item, Result>(
  parts: PumpParts<Item, Result>,
  flight: Flight<Item, Result>,
  round: Round,
  untilMs: number,
): Promise<void> {
  const overrunMs = flight.hasOverrun ? [round.roundAt + GRACE_MS] : [];
  let isSettled = false;
  for (const atMs of [...overrunMs, round.roundAt + parts.longestMs() + GRACE_MS, untilMs]) {
    await flight.done(Math.min(atMs, untilMs) - parts.now());
    const results = flight.take();
    const isLast = flight.isEmpty || atMs === untilMs;
    if (results.length > 0 || (isLast && !isSettled)) {
      await parts.settle(results, round);
      isSettled = true;
    }
    if (isLast) return;
  }
}

/** The checks that are under way. */
class Flight<Item, Result> {
  readonly #parts: PumpParts<Item, Result>;
  readonly #closing = new AbortController();
  readonly #checks = new Map<Item, Promise<void>>();
  readonly #owed = new Set<Item>();
  #results: [Item, Result][] = [];

  constructor(parts: PumpParts<Item, Result>) {
    this.#parts = parts;
  }

  get isEmpty(): boolean {
    return this.#checks.size === 0;
  }

  /** Whether checks of the round before still run. */
  get hasOverrun(): boolean {
    return this.#owed.size > 0;
  }

  /** Starts a round. A check that still runs is owed another when it ends: a timeout may be as long as the interval. */
  launch(): void {
    for (const item of this.#parts.items()) {
      if (this.#checks.has(item)) this.#owed.add(item);
      else this.#checks.set(item, this.#run(item));
    }
  }

  /** What was checked since the last time. */
  take(): [Item, Result][] {
    const results = this.#results;
    this.#results = [];
    return results;
  }

  /** Waits until no check runs, at most this long. */
  async done(atMostMs: number): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    try {
      timer = setTimeout(resolve, Math.max(0, atMostMs));
      await Promise.race([this.#allDone(), promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Lets nobody start any more, and waits for those that have. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#allDone();
  }

  async #allDone(): Promise<void> {
    while (!this.isEmpty) await Promise.all(this.#checks.values());
  }

  async #run(item: Item): Promise<void> {
    do {
      this.#owed.delete(item);
      const result = await this.#parts.check(item, this.#closing.signal);
      if (result !== undefined) this.#results.push([item, result]);
    } while (this.#owed.has(item) && !this.#closing.signal.aborted);
    this.#owed.delete(item);
    this.#checks.delete(item);
  }
}

function sleep(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, durationMs)));
}
