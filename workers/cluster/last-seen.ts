import type { JsonValue } from "./json-value.ts";

/** When a snapshot was last accepted, and when the agent last acknowledged a call, Unix ms. */
export interface Seen {
  snapshotAt?: number;
  deliveryAt?: number;
}

/**
 * Last-seen times for display. They are kept in memory and written at most once a minute, because no decision depends
 * on them.
 */
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
