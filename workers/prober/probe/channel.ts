import type { Connection } from "../dial/connection.ts";
import { type Deadline, EXPIRED } from "../dial/deadline.ts";
import type { TlsFault } from "../tls/tls-error.ts";

/** What comes of waiting for the peer's next word. After anything but octets nothing more comes. */
export type Received =
  | { kind: "octets"; octets: Uint8Array }
  | { kind: "end" }
  | { kind: "reset" }
  | { kind: "expired" }
  | { kind: "fault"; fault: TlsFault };

/** Octets to and from a peer, in clear for those who use it. */
export interface Channel {
  /** Does not wait: a peer may answer or close before it has read all, and the receiving side tells which. */
  send(octets: Uint8Array): void;
  receive(): Promise<Received>;
}

/** The connection itself, as far as the deadline. */
export class PlainChannel implements Channel {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #deadline: Deadline;
  readonly #onHeard: () => void;
  #hasHeard = false;

  /** `onHeard` is called when the peer's first octet comes. */
  constructor(connection: Connection, deadline: Deadline, onHeard: () => void) {
    this.#writer = connection.writable.getWriter();
    this.#reader = connection.readable.getReader();
    this.#deadline = deadline;
    this.#onHeard = onHeard;
  }

  /** Whether the peer has sent anything. */
  get hasHeard(): boolean {
    return this.#hasHeard;
  }

  send(octets: Uint8Array): void {
    if (octets.length > 0) this.#writer.write(octets).catch(() => undefined);
  }

  async receive(): Promise<Received> {
    const next = await this.#deadline.race(this.#reader.read().catch(() => undefined));
    if (next === EXPIRED) return { kind: "expired" };
    if (next === undefined) return { kind: "reset" };
    if (next.done) return { kind: "end" };
    if (!this.#hasHeard) this.#onHeard();
    this.#hasHeard = true;
    return { kind: "octets", octets: next.value };
  }

  /** The writer is left to `close` of the socket: after its `abort` workerd keeps the connection, and the object with it. */
  release(): void {
    this.#reader.cancel().catch(() => undefined);
  }
}
