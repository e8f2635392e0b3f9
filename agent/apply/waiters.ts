/** Promises that wait for conditions; somebody has to say when it is worth looking. */
export class Waiters {
  #waiting: { isMet: () => boolean; resolve: () => void }[] = [];

  until(isMet: () => boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ isMet, resolve });
    return promise;
  }

  look(): void {
    const met = this.#waiting.filter(({ isMet }) => isMet());
    this.#waiting = this.#waiting.filter((waiter) => !met.includes(waiter));
    for (const { resolve } of met) resolve();
  }
}
