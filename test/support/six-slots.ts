import type { Connect, Connection } from "../../workers/prober/dial/connection.ts";

/** The platform's limit of pending dials, which the local runtime lacks: what is beyond it waits in a queue. */
export class SixSlots {
  #free = 6;
  #queue: (() => void)[] = [];

  /** Resolves with what gives the slot back, which may be called again. */
  async take(): Promise<() => void> {
    if (this.#free === 0) await new Promise<void>((resolve) => this.#queue.push(resolve));
    else this.#free -= 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const next = this.#queue.shift();
      if (next === undefined) this.#free += 1;
      else next();
    };
  }
}

/** One invocation that dials within slots: its own, or those that it shares with others. */
export class Invocation {
  readonly #slots: SixSlots;
  readonly #connect: Connect;
  #hasEnded = false;
  #held: (() => void)[] = [];

  constructor(slots: SixSlots, connect: Connect) {
    this.#slots = slots;
    this.#connect = connect;
  }

  connect: Connect = (address): Connection => {
    const dialled = this.#slots.take().then((release) => {
      if (this.#hasEnded) {
        release();
        return new Promise<never>(() => undefined);
      }
      this.#held.push(release);
      const socket = this.#connect(address);
      socket.opened.then(release, release);
      return socket;
    });
    return {
      opened: dialled.then(({ opened }) => opened),
      // Nothing is read or written where only dials are looked at.
      readable: new ReadableStream(),
      writable: new WritableStream(),
      close: () => dialled.then((socket) => socket.close()),
    };
  };

  /** What it dialled is gone, and what still waits is not dialled any more. */
  end(): void {
    this.#hasEnded = true;
    for (const release of this.#held) release();
  }
}
