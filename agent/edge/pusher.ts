import { nextSendAt } from "../../shared/accumulator.ts";
import { backoffMs } from "../runtime/backoff.ts";
import type { PushResult, Receipt } from "./client.ts";

export interface PusherOptions {
  windowMs: number;
  /** How often a snapshot is repeated that says the same: edge and agent find out by it what the other lost. */
  repeatMs: number;
  push: (text: string, ifMatch: string | undefined) => Promise<PushResult>;
  /** The snapshot as of now. */
  encode: () => string;
  /** Reads the sources again. */
  reread: () => Promise<void>;
  onTaken: (receipt: Receipt) => Promise<void>;
  onFailed: (message: string) => void;
  /** A clock that only goes forward, in milliseconds. */
  now: () => number;
  random: () => number;
}

/**
 * Pushes snapshots: soon after a change (docs/design/cluster.md, accumulator), at regular times without one, and after a failure
 * again with growing patience. One push is under way at most. It says nothing until `start`, that is, before all has been read.
 */
export class Pusher {
  readonly #options: PusherOptions;
  #state: { lastSentAt?: number; dirtySince?: number } = {};
  #failures = 0;
  #hasHurried = false;
  #retryAt = 0;
  /** The edge said itself to be left alone until then: being heard of does not end that. */
  #refusedUntil = 0;
  #etag: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #phase: "Waiting" | "Started" | "Stopped" = "Waiting";

  constructor(options: PusherOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#phase !== "Waiting") return;
    this.#phase = "Started";
    this.changed();
  }

  /** Something that a snapshot holds has changed. */
  changed(): void {
    this.#state.dirtySince ??= this.#options.now();
    this.#arm();
  }

  /** The edge was heard of: what failed while it was away is tried again now; once, since it may fail for another reason. */
  heard(): void {
    if (this.#failures === 0 || this.#hasHurried) return;
    this.#hasHurried = true;
    this.#failures = 0;
    this.#retryAt = 0;
    delete this.#state.lastSentAt;
    this.changed();
  }

  async stop(): Promise<void> {
    this.#phase = "Stopped";
    clearTimeout(this.#timer);
    await this.#running;
  }

  #arm(): void {
    clearTimeout(this.#timer);
    if (this.#phase !== "Started" || this.#running !== undefined) return;
    this.#timer = setTimeout(() => this.#run(), Math.max(0, this.#dueAt() - this.#options.now()));
  }

  #dueAt(): number {
    const { windowMs, repeatMs, now } = this.#options;
    const repeatAt = (this.#state.lastSentAt ?? now()) + repeatMs;
    return Math.max(
      this.#retryAt,
      this.#refusedUntil,
      Math.min(repeatAt, nextSendAt(this.#state, windowMs) ?? repeatAt),
    );
  }

  #run(): void {
    this.#running = this.#pushOnce()
      .catch((error: Error) => this.#failed(error.message))
      .finally(() => {
        this.#running = undefined;
        this.#arm();
      });
  }

  async #pushOnce(): Promise<void> {
    const { now, encode, push } = this.#options;
    const { dirtySince } = this.#state;
    this.#state = { lastSentAt: now() };
    const result = await push(encode(), this.#etag);
    switch (result.kind) {
      case "Taken":
        this.#etag = result.etag;
        this.#failures = 0;
        this.#hasHurried = false;
        await this.#options.onTaken(result.receipt);
        return;
      case "Overtaken":
        return this.#overtaken(result);
      case "Failed":
        this.#state.dirtySince ??= dirtySince ?? now();
        this.#refusedUntil = now() + (result.retryAfterMs ?? 0);
        return this.#failed(result.message);
    }
  }

  /**
   * The edge holds a snapshot that we did not name. Without a tag of our own that is our former process' one: go on at once.
   * Otherwise someone else pushes under our name, or the edge has lost its memory: read everything again before saying it.
   */
  async #overtaken(result: Extract<PushResult, { kind: "Overtaken" }>): Promise<void> {
    const isFirst = this.#etag === undefined && result.etag !== undefined && this.#failures === 0;
    this.#etag = result.etag;
    this.#state.dirtySince ??= this.#options.now();
    if (isFirst) {
      this.#failures = 1;
      delete this.#state.lastSentAt;
      return;
    }
    this.#failed(result.message);
    await this.#options.reread();
  }

  /** Whatever failed: the next try starts from what the sources say then. */
  #failed(message: string): void {
    const { now, random, onFailed } = this.#options;
    this.#failures += 1;
    this.#retryAt = now() + backoffMs(this.#failures, random());
    onFailed(message);
  }
}
