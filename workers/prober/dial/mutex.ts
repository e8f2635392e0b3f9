/** Lets one piece of work run at a time, in the order they came: the object's own requests share one slot. */
export class Mutex {
  #tail: Promise<unknown> = Promise.resolve();

  runExclusive<Value>(work: () => Promise<Value>): Promise<Value> {
    const result = this.#tail.then(work);
    this.#tail = result.catch(() => undefined);
    return result;
  }
}
