import type { LiveMessage } from "../../../shared/model/overview.ts";

const PING_EVERY_MS = 4_000;
/** Without an answer to a ping for this long, the connection counts as lost, even if the browser has not noticed. */
const ANSWER_WITHIN_MS = 3_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;

/** Callbacks of a stream. */
export interface StreamHooks {
  opened(): void;
  /** Any message came, including the answer to a ping. */
  heard(): void;
  told(message: LiveMessage): void;
  closed(): void;
  /** Id of the newest known event. The stream continues after it. */
  after(): number | undefined;
}

/** Follows the stream of one partition until it is stopped. Reconnects after each loss, with growing delays. */
export class LiveStream {
  readonly #partition: number;
  readonly #hooks: StreamHooks;
  #socket: WebSocket | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #losses = 0;

  constructor(partition: number, hooks: StreamHooks) {
    this.#partition = partition;
    this.#hooks = hooks;
    this.#connect();
  }

  /** Reconnects at once, after a gap or when the viewer returns. */
  reconnect(): void {
    this.#drop();
    this.#connect();
  }

  /** Checks the connection at once instead of at the next ping, because the viewer returned. */
  hurry(): void {
    if (this.#socket === undefined) this.reconnect();
    else if (this.#socket.readyState === WebSocket.OPEN) this.#ping();
  }

  stop(): void {
    this.#drop();
  }

  #connect(): void {
    const socket = new WebSocket(streamUrl(this.#partition, this.#hooks.after()));
    this.#socket = socket;
    this.#awaitWord(ANSWER_WITHIN_MS + PING_EVERY_MS);
    socket.onopen = () => {
      this.#losses = 0;
      this.#hooks.opened();
      this.#pingLater();
    };
    socket.onmessage = ({ data }) => {
      this.#hooks.heard();
      this.#pingLater();
      if (data !== "pong") this.#hooks.told(JSON.parse(String(data)) as LiveMessage);
    };
    socket.onclose = () => this.#lost();
  }

  #pingLater(): void {
    this.#after(PING_EVERY_MS, () => this.#ping());
  }

  #ping(): void {
    this.#socket?.send("ping");
    this.#awaitWord(ANSWER_WITHIN_MS);
  }

  #awaitWord(limitMs: number): void {
    this.#after(limitMs, () => this.#lost());
  }

  #lost(): void {
    this.#drop();
    this.#hooks.closed();
    // Jitter: viewers must not all reconnect at one moment when the edge returns.
    const wait = Math.min(FIRST_WAIT_MS * 2 ** this.#losses++, LONGEST_WAIT_MS) * (0.75 + Math.random() / 2);
    this.#after(wait, () => this.#connect());
  }

  #drop(): void {
    clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#socket = undefined;
    if (socket === undefined) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }

  /** One timer at a time: for the next ping, for an answer, or for the next attempt. */
  #after(delayMs: number, act: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(act, delayMs);
  }
}

function streamUrl(partition: number, after: number | undefined): string {
  const url = new URL("/v1/live", location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  url.searchParams.set("partition", `${partition}`);
  if (after !== undefined) url.searchParams.set("after", `${after}`);
  return url.href;
}
