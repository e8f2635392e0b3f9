import type { Cell } from "./cell.ts";

/** When a snapshot was accepted and when the agent last confirmed a call, Unix ms. */
export interface Seen {
  snapshotAt?: number;
  deliveryAt?: number;
}

/** Last-seen times, for people: kept in memory and written at most once a minute, since nothing is decided by them. */
export class LastSeen {
  readonly #cell: Cell<Seen>;
  #noted: Seen = {};

  constructor(cell: Cell<Seen>) {
    this.#cell = cell;
  }

  note(what: keyof Seen, atMs: number): void {
    this.#noted[what] = atMs;
  }

  get(): Seen {
    return { ...this.#cell.get(), ...this.#noted };
  }

  flush(): void {
    this.#cell.update(this.#noted);
  }
}
