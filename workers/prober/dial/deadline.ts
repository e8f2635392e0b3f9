/** What {@link Deadline.race} gives when the time is over. */
export const EXPIRED = Symbol("expired");

/**
 * One limit for everything that a check waits for. `clear` has to be called on every path: a timer that is left keeps
 * the object in memory, and billed, until it fires. (For the same reason `AbortSignal.timeout` is banned here.)
 */
export class Deadline {
  readonly #expired: Promise<typeof EXPIRED>;
  readonly #timer: ReturnType<typeof setTimeout>;

  constructor(durationMs: number) {
    const { promise, resolve } = Promise.withResolvers<typeof EXPIRED>();
    this.#expired = promise;
    this.#timer = setTimeout(() => resolve(EXPIRED), durationMs);
  }

  race<Value>(work: Promise<Value>): Promise<Value | typeof EXPIRED> {
    return Promise.race([work, this.#expired]);
  }

  clear(): void {
    clearTimeout(this.#timer);
  }
}

/** Runs the work under a deadline that is cleared whatever happens. */
export async function withDeadline<Value>(
  durationMs: number,
  work: (deadline: Deadline) => Promise<Value>,
): Promise<Value> {
  const deadline = new Deadline(durationMs);
  try {
    return await work(deadline);
  } finally {
    deadline.clear();
  }
}
