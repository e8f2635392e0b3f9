/** What a check is part of: the round that all are part of, or the confirmation of what a few of them seem to become. */
export type CheckKind = "round" | "confirmation";

/** Checks an item; undefined if it got no slot before `closing`. Must not reject. */
export type Check<Item, Result> = (item: Item, closing: AbortSignal, kind: CheckKind) => Promise<Result | undefined>;

/** The checks that are under way. */
export class InFlightChecks<Item, Result> {
  readonly #check: Check<Item, Result>;
  readonly #closing = new AbortController();
  readonly #checks = new Map<Item, Promise<void>>();
  readonly #owed = new Set<Item>();
  #yielding = new AbortController();
  #results: [Item, Result][] = [];
  #hasConfirmed = false;

  constructor(check: Check<Item, Result>) {
    this.#check = check;
  }

  get isEmpty(): boolean {
    return this.#checks.size === 0;
  }

  /** Whether checks of the round before still run. */
  get hasOverrun(): boolean {
    return this.#owed.size > 0;
  }

  has(item: Item): boolean {
    return this.#checks.has(item);
  }

  /**
   * Starts a round. A check that still runs is owed another when it ends: a timeout may be as long as the interval. Confirmations
   * that wait for a slot give way, and have their turn in the round.
   */
  startRound(items: Iterable<Item>): void {
    for (const item of items) {
      if (this.has(item)) this.#owed.add(item);
      else this.#start(item, "round");
    }
    this.#yielding.abort();
    this.#yielding = new AbortController();
  }

  /** Starts confirmations, of items that are not asked at the moment. */
  startConfirmations(items: Iterable<Item>): void {
    for (const item of items) this.#start(item, "confirmation");
  }

  /** The results since the last call, and whether any was a confirmation. */
  take(): { results: [Item, Result][]; hasConfirmed: boolean } {
    const taken = { results: this.#results, hasConfirmed: this.#hasConfirmed };
    this.#results = [];
    this.#hasConfirmed = false;
    return taken;
  }

  /** Waits until no check runs, or none of these, at most this long. */
  async done(atMostMs: number, items?: readonly Item[]): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    const checks = items === undefined ? this.#allDone() : Promise.all(items.map((item) => this.#checks.get(item)));
    try {
      timer = setTimeout(resolve, Math.max(0, atMostMs));
      await Promise.race([checks, promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Lets nobody start any more, and waits for those that have. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#yielding.abort();
    await this.#allDone();
  }

  async #allDone(): Promise<void> {
    while (!this.isEmpty) await Promise.all(this.#checks.values());
  }

  #start(item: Item, kind: CheckKind): void {
    this.#checks.set(item, this.#run(item, kind));
  }

  async #run(item: Item, first: CheckKind): Promise<void> {
    let kind = first;
    do {
      this.#owed.delete(item);
      const closing = kind === "round" ? this.#closing : this.#yielding;
      const result = await this.#check(item, closing.signal, kind);
      if (result !== undefined) {
        this.#results.push([item, result]);
        this.#hasConfirmed ||= kind === "confirmation";
      }
      kind = "round";
    } while (this.#owed.has(item) && !this.#closing.signal.aborted);
    this.#owed.delete(item);
    this.#checks.delete(item);
  }
}
