import { DNS_ENDPOINT, type Kind } from "../kubernetes/kinds.ts";
import type { ObjectRef } from "../kubernetes/object.ts";
import { ApplyQueue } from "./apply-queue.ts";
import type { Desired } from "./desired.ts";
import type { WriteFailure } from "./next-action.ts";
import type { WriterOptions } from "./options.ts";

/**
 * Makes the objects of the cluster as desired, by server-side apply. DNSEndpoints are written at once, all other objects after the
 * accumulation window. The desired state is kept: it is written again after failures and when another writer changes it.
 */
export class Writer {
  readonly #endpoints: ApplyQueue;
  readonly #others: ApplyQueue;

  constructor(options: WriterOptions) {
    this.#endpoints = new ApplyQueue({ ...options, windowMs: 0 });
    this.#others = new ApplyQueue(options);
  }

  /**
   * Replaces the desired DNSEndpoints. Resolves when each was tried once, with those that failed. If one takes over a name from
   * another, it is created before the other is deleted.
   */
  async publish(desired: Desired): Promise<readonly WriteFailure[]> {
    this.#endpoints.want(desired, false);
    await this.#endpoints.hurry();
    return this.failures;
  }

  /** The DNSEndpoints that are not as desired. */
  get failures(): readonly WriteFailure[] {
    return this.#endpoints.failures();
  }

  /** Replaces all other desired objects. With `refreshTimes`, objects of which only check times changed are written too, slowly. */
  want(desired: Desired, { refreshTimes = false }: { refreshTimes?: boolean } = {}): void {
    this.#others.want(desired, refreshTimes);
  }

  /** To be called for each change that an informer of a written kind sees. */
  changed(kind: Kind, ref: ObjectRef): void {
    (kind === DNS_ENDPOINT ? this.#endpoints : this.#others).changed(kind, ref);
  }

  /** Resolves when everything is written except refused, foreign and contested objects, and refreshed times. */
  async flushed(): Promise<void> {
    await Promise.all([this.#endpoints.flushed(), this.#others.flushed()]);
  }

  /** Writes at once what waits for the window. Resolves when each object was tried. */
  hurry(): Promise<void> {
    return this.#others.hurry();
  }

  /** Starts no further write. Resolves when the writes in flight have ended. */
  async stop(): Promise<void> {
    await Promise.all([this.#endpoints.stop(), this.#others.stop()]);
  }
}
