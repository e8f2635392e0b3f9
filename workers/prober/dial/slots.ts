import { MAX_SUSPECTS } from "../../../shared/model/messages/assignment.ts";

/** The platform allows six; the sixth is left for DNS over HTTPS. */
export const MAX_PENDING = 5;
export const MAX_OPEN = 24;

/** Whether a dial is likely to hang: an address that never answered a dial, or not the last one. */
export type Reachability = "proven" | "suspect";

/** Leave to dial. Each of the calls may be repeated; the first counts. */
export interface Slot {
  /** The dial is no longer pending: the peer's first byte came, or it will never come. */
  settled(): void;
  /** The connection is closed. Settles the dial too. */
  closed(): void;
}

interface Waiter {
  standing: Reachability;
  grant: (slot: Slot) => void;
}

/**
 * Who may dial (docs/design/dialling.md). At most 5 dials are pending in an object, at most 3 of them to suspects, and at most 24
 * connections are open. The proven go first, so that leaves which hang delay only each other.
 */
export class Slots {
  #pending = 0;
  #suspects = 0;
  #open = 0;
  #waiting: Waiter[] = [];

  get pending(): number {
    return this.#pending;
  }

  /** Waits for a slot; undefined once `closing` is aborted, for then nobody new may start. */
  acquire(standing: Reachability, closing: AbortSignal): Promise<Slot | undefined> {
    if (closing.aborted) return Promise.resolve(undefined);
    const { promise, resolve } = Promise.withResolvers<Slot | undefined>();
    const waiter: Waiter = { standing, grant: resolve };
    const leave = () => {
      this.#waiting = this.#waiting.filter((other) => other !== waiter);
      resolve(undefined);
    };
    closing.addEventListener("abort", leave, { once: true });
    this.#waiting.push(waiter);
    this.#serve();
    return promise.finally(() => closing.removeEventListener("abort", leave));
  }

  #serve(): void {
    for (const standing of ["proven", "suspect"] as const) {
      while (this.#hasRoom(standing)) {
        const next = this.#waiting.find((waiter) => waiter.standing === standing);
        if (next === undefined) break;
        this.#waiting = this.#waiting.filter((waiter) => waiter !== next);
        next.grant(this.#take(standing));
      }
    }
  }

  #hasRoom(standing: Reachability): boolean {
    if (this.#pending >= MAX_PENDING || this.#open >= MAX_OPEN) return false;
    return standing === "proven" || this.#suspects < MAX_SUSPECTS;
  }

  #take(standing: Reachability): Slot {
    this.#pending += 1;
    this.#open += 1;
    if (standing === "suspect") this.#suspects += 1;
    const settled = once(() => {
      this.#pending -= 1;
      if (standing === "suspect") this.#suspects -= 1;
      this.#serve();
    });
    const closed = once(() => {
      this.#open -= 1;
      settled();
      this.#serve();
    });
    return { settled, closed };
  }
}

/** The act, done at the first call only. */
export function once(act: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    act();
  };
}
