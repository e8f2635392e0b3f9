/** A round that is due sooner than this is waited for: an alarm and its row cost as much as 0.7 s awake. */
const LINGER_MS = 700;
/** A pump takes no longer than this in all. */
const PUMP_MS = 60_000;

/** What a pump works on; `Item` is a probe with its state, `Result` what its check gives. */
export interface PumpParts<Item, Result> {
  now: () => number;
  /** All that is due at each round, those that waited longest first. */
  items: () => Iterable<Item>;
  /** Checks an item; undefined if it got no slot before `closing`. */
  check: (item: Item, closing: AbortSignal) => Promise<Result | undefined>;
  /** When the round after this moment is due (Unix ms); undefined if there is nothing to do any more. */
  roundAfter: (now: number) => number | undefined;
  /** The longest that a check may take once it has its slot. */
  longestMs: () => number;
  /** Counts, stores and reports what was checked since the last time. Must not reject. */
  settle: (results: Map<Item, Result>, round: { roundAt: number; lateMs: number }) => Promise<void>;
}

/**
 * Runs the round that is due, and those that follow within 0.7 s (design §2, prober). A check still running when its
 * next round comes, for want of a slot, sits that one out. Results are settled when all is done or the next round is
 * due, whichever is first, so that a check that hangs holds up no other probe's word. Answers when the round after the last
 * one is due (Unix ms), undefined where none is.
 */
export async function pump<Item, Result>(parts: PumpParts<Item, Result>, dueAt: number): Promise<number | undefined> {
  const closing = new AbortController();
  const flights = new Map<Item, Promise<void>>();
  const results = new Map<Item, Result>();
  const startedAt = parts.now();
  let due = dueAt;
  try {
    for (;;) {
      const round = { roundAt: parts.now(), lateMs: Math.max(0, parts.now() - due) };
      for (const item of parts.items()) {
        if (!flights.has(item)) flights.set(item, fly(item));
      }
      const next = parts.roundAfter(round.roundAt);
      const nextAt = next ?? Number.POSITIVE_INFINITY;
      const closeAt = startedAt + PUMP_MS - parts.longestMs();
      await untilDone(flights, Math.min(nextAt, closeAt) - parts.now());
      if (parts.now() >= closeAt) {
        closing.abort();
        await Promise.all(flights.values());
      }
      await parts.settle(takeAll(results), round);
      const waitMs = nextAt - parts.now();
      if (closing.signal.aborted || (flights.size === 0 && (waitMs > LINGER_MS || nextAt >= closeAt))) return next;
      await sleep(waitMs);
      due = nextAt;
    }
  } finally {
    closing.abort();
  }

  async function fly(item: Item): Promise<void> {
    const result = await parts.check(item, closing.signal);
    if (result !== undefined) results.set(item, result);
    flights.delete(item);
  }
}

function takeAll<Key, Value>(map: Map<Key, Value>): Map<Key, Value> {
  const taken = new Map(map);
  map.clear();
  return taken;
}

async function untilDone(flights: ReadonlyMap<unknown, Promise<void>>, atMostMs: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const { promise, resolve } = Promise.withResolvers<void>();
  try {
    timer = setTimeout(resolve, Math.max(0, atMostMs));
    await Promise.race([Promise.all(flights.values()), promise]);
  } finally {
    clearTimeout(timer);
  }
}

function sleep(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, durationMs)));
}
