/** How long an alarm that is due at once is awaited: it may be a minute late while the platform fails over. */
const ALARM_LIMIT_MS = 65_000;

/** Lets work run within the object's alarm, as a prober's rounds do: the platform's limits are an invocation's. */
export class Round {
  #work: (() => Promise<void>) | undefined;

  /** For the object's `alarm()`: whether there was work. */
  async fired(): Promise<boolean> {
    const work = this.#work;
    this.#work = undefined;
    await work?.();
    return work !== undefined;
  }

  /** Sets the alarm, and resolves or rejects as the work does. */
  async run<Value>(storage: DurableObjectStorage, work: () => Promise<Value>): Promise<Value> {
    const { promise, resolve, reject } = Promise.withResolvers<Value>();
    const timer = setTimeout(() => {
      this.#work = undefined;
      reject(new Error(`no alarm came within ${ALARM_LIMIT_MS} ms`));
    }, ALARM_LIMIT_MS);
    this.#work = () => {
      clearTimeout(timer);
      return work().then(resolve, reject);
    };
    try {
      await storage.setAlarm(Date.now() + 1);
      return await promise;
    } finally {
      clearTimeout(timer);
    }
  }
}
