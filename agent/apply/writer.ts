import { DNS_ENDPOINT, type Kind } from "../kubernetes/kinds.ts";
import type { ObjectRef } from "../kubernetes/object.ts";
import { ApplyQueue } from "./apply-queue.ts";
import type { Desired } from "./desired.ts";
import type { Trouble } from "./next-action.ts";
import type { WriterOptions } from "./options.ts";

/** What of the DNSEndpoints is not as wanted, now that all has been tried once. */
export interface PublishResult {
  troubles: readonly Trouble[];
}

/**
 * Makes the objects of the cluster as wanted: desired minus actual, by server-side apply. DNSEndpoints are written at once,
 * everything else after the accumulator's window. What is wanted stays wanted: it is written again when others change it, and
 * after failures.
 */
export class Writer {
  readonly #endpoints: ApplyQueue;
  readonly #others: ApplyQueue;

  constructor(options: WriterOptions) {
    this.#endpoints = new ApplyQueue({ ...options, windowMs: 0 });
    this.#others = new ApplyQueue(options);
  }

  /**
   * The DNSEndpoints that are to be, whole; written before this resolves, as far as it can be. One that takes over a name from
   * another is there before the other goes.
   */
  async publish(desired: Desired): Promise<PublishResult> {
    this.#endpoints.want(desired, false);
    await this.#endpoints.hurry();
    return { troubles: this.troubles };
  }

  /** What of the DNSEndpoints is not as wanted just now. */
  get troubles(): readonly Trouble[] {
    return this.#endpoints.troubles();
  }

  /** All else that is to be, whole. With `refreshTimes` also where nothing but the times of checks has changed, at a slow pace. */
  want(desired: Desired, { refreshTimes = false }: { refreshTimes?: boolean } = {}): void {
    this.#others.want(desired, refreshTimes);
  }

  /** To be called for each change that an informer of a written kind sees. */
  changed(kind: Kind, ref: ObjectRef): void {
    (kind === DNS_ENDPOINT ? this.#endpoints : this.#others).changed(kind, ref);
  }

  /** Resolves when all that is wanted is written, but for what is refused, not ours or fought over, and refreshed times. */
  async flushed(): Promise<void> {
    await Promise.all([this.#endpoints.flushed(), this.#others.flushed()]);
  }

  /** Writes at once what waits for the accumulator's window; resolves when each object has been tried. */
  hurry(): Promise<void> {
    return this.#others.hurry();
  }

  /** Begins no further write; resolves when those under way have ended. */
  async stop(): Promise<void> {
    await Promise.all([this.#endpoints.stop(), this.#others.stop()]);
  }
}
