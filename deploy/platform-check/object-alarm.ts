/** Alarms can be a minute late while the platform fails over. */
const WORK_LIMIT_MS = 65_000;

/** The alarm of a Durable Object, for one measurement at a time. */
export class ObjectAlarm {
  readonly #storage: DurableObjectStorage;
  #handler: (() => Promise<void> | void) | undefined;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
  }

  /** For the object's `alarm()`: runs what waits for the alarm. Returns whether anything did. */
  async fired(): Promise<boolean> {
    const handler = this.#handler;
    this.#handler = undefined;
    await handler?.();
    return handler !== undefined;
  }

  /**
   * Runs work within the alarm handler, as a prober's rounds do: the platform's limits apply to each invocation. Resolves or
   * rejects as the work does.
   */
  async run<Value>(work: () => Promise<Value>): Promise<Value> {
    const { promise, resolve, reject } = Promise.withResolvers<Value>();
    const expire = () => reject(new Error(`no alarm came within ${WORK_LIMIT_MS} ms`));
    await this.#wait(1, WORK_LIMIT_MS, () => work().then(resolve, reject), expire);
    return promise;
  }

  /** Sets the alarm. Resolves with its delay beyond the due time in milliseconds, or undefined after the limit. */
  async lateness(inMs: number, limitMs: number): Promise<number | undefined> {
    const { promise, resolve } = Promise.withResolvers<number | undefined>();
    const dueAt = Date.now() + inMs;
    await this.#wait(
      inMs,
      limitMs,
      () => resolve(Date.now() - dueAt),
      () => resolve(undefined),
    );
    return promise;
  }

  async #wait(inMs: number, limitMs: number, onAlarm: () => Promise<void> | void, expire: () => void): Promise<void> {
    const timer = setTimeout(() => {
      this.#handler = undefined;
      expire();
    }, inMs + limitMs);
    this.#handler = () => {
      clearTimeout(timer);
      return onAlarm();
    };
    await this.#storage.setAlarm(Date.now() + inMs);
  }
}
