/** Lets a measurement that is under way wait for the object's alarm. */
export class NextAlarm {
  #waiting: (() => void) | undefined;

  /** For the object's `alarm()`. */
  fired(): void {
    this.#waiting?.();
  }

  /** Sets the alarm and resolves with how late it came, in milliseconds; undefined where it has not come within the limit. */
  async lateness(storage: DurableObjectStorage, inMs: number, limitMs: number): Promise<number | undefined> {
    const { promise, resolve } = Promise.withResolvers<number | undefined>();
    const dueAt = Date.now() + inMs;
    this.#waiting = () => resolve(Date.now() - dueAt);
    const timer = setTimeout(() => resolve(undefined), inMs + limitMs);
    try {
      await storage.setAlarm(dueAt);
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#waiting = undefined;
    }
  }
}
