import type { JsonValue } from "./json-value.ts";

/** When a snapshot was accepted and when the agent last confirmed a call, Unix ms. */
export interface Seen {
  snapshotAt?: number;
  deliveryAt?: number;
}

/** Last-seen times, for people: kept in memory and written at most once a minute, since nothing is decided by them. */
export class LastSeen {
  readonly #value: JsonValue<Seen>;
  #noted: Seen = {};

  constructor(value: JsonValue<Seen>) {
    this.#value = value;
  }

  note(what: keyof Seen, atMs: number): void {
    this.#noted[what] = atMs;
  }

  get(): Seen {
    return { ...this.#value.get(), ...this.#noted };
  }

  flush(): void {
    this.#value.update(this.#noted);
  }
}
