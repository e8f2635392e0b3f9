import type { MessageNumber } from "../../shared/model/number.ts";

/** The records, by root host, that are others than they were at a number, or no more. */
export interface ChangesSince {
  since: MessageNumber;
  rootHosts: string[];
}

/**
 * What the agent holds for certain, and which records are others since, so that a delivery need not carry the rest. In memory
 * alone: where it was forgotten, the next delivery is whole.
 */
export class AgentBase {
  readonly #changedAt = new Map<string, number>();
  /** Of each change after this number it is known which records it is of. */
  #knownAfter: number;
  #held: MessageNumber | undefined;

  /** @param n of the newest decisions at this time */
  constructor(n: number) {
    this.#knownAfter = n;
  }

  /** Number `n` makes these records others, or none. */
  changed(n: number, rootHosts: readonly string[]): void {
    for (const rootHost of rootHosts) this.#changedAt.set(rootHost, n);
  }

  /** The agent has answered a call with the number that it was called with; and takes changes to that, or does not. */
  answered(number: MessageNumber, takesChanges: boolean): void {
    const isKnown = number.n >= this.#knownAfter;
    this.#held = isKnown && takesChanges ? number : undefined;
    if (!isKnown) return;
    this.#knownAfter = number.n;
    for (const [rootHost, n] of this.#changedAt) if (n <= number.n) this.#changedAt.delete(rootHost);
  }

  /** What has changed for the agent; undefined where it has to be given everything. */
  get changes(): ChangesSince | undefined {
    return this.#held && { since: this.#held, rootHosts: [...this.#changedAt.keys()] };
  }
}
