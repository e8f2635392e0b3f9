import type { NotificationTarget } from "../../shared/model/notification-target.ts";
import { backOffMs } from "../back-off.ts";
import { errorMessage } from "../retry.ts";
import { callOf } from "./formats/formats.ts";
import type { Message } from "./message.ts";
import { type Outcome, post } from "./post.ts";
import type { NotifierStore } from "./store.ts";

const LONGEST_BACK_OFF_MS = 300_000;
/** A message without a receiver for this long is outdated. */
const MAX_AGE_MS = 24 * 3_600_000;
/** Longer than a call can take: should it get lost with the object, the next try is not before. */
const BEHIND_CALL_MS = 15_000;

/** Where messages go, as the settings say at the moment. */
export interface Addresses {
  targets: readonly NotificationTarget[];
  /** Whether these are all there should be: one that is written wrongly is not there, and not gone either. */
  isWhole: boolean;
  publicUrl: string | undefined;
}

/**
 * Brings the waiting messages to their targets: one call at a time to each, the oldest message first, none waiting for another
 * target. A message is taken out of storage when it was taken, so that a restart may repeat one, and loses none.
 */
export class Courier {
  readonly #store: NotifierStore;
  readonly #addresses: () => Addresses;
  readonly #onRest: () => void;
  readonly #under = new Map<string, Promise<void>>();

  /** `onRest` is called when the calls to a target are over for now: what waits on has another due time. */
  constructor(store: NotifierStore, addresses: () => Addresses, onRest: () => void) {
    this.#store = store;
    this.#addresses = addresses;
    this.#onRest = onRest;
  }

  /** Begins to send whatever is due. The calls go on by themselves; the promise is for those who want to wait for them. */
  send(): Promise<unknown> {
    for (const { name } of this.#addresses().targets) {
      if (this.#under.has(name) || !this.#isDue(name)) continue;
      this.#under.set(name, this.#sendTo(name));
    }
    return Promise.all(this.#under.values());
  }

  /** When to look again, Unix ms; undefined while nothing waits. */
  wakeAt(): number | undefined {
    const times = this.#addresses().targets.flatMap(({ name }) => {
      if (this.#store.waiting(name) === 0) return [];
      return this.#under.has(name) ? Date.now() + BEHIND_CALL_MS : (this.#store.target(name)?.retryAt ?? Date.now());
    });
    return times.length === 0 ? undefined : Math.min(...times);
  }

  #isDue(name: string): boolean {
    return this.#store.waiting(name) > 0 && (this.#store.target(name)?.retryAt ?? 0) <= Date.now();
  }

  /** Never throws. */
  async #sendTo(name: string): Promise<void> {
    try {
      while (this.#isDue(name) && (await this.#sendOldest(name)));
    } catch (error) {
      console.error({ message: "notifications cannot be sent", target: name, error: errorMessage(error) });
    } finally {
      this.#under.delete(name);
      this.#onRest();
    }
  }

  /** Whether there may be more to send. */
  async #sendOldest(name: string): Promise<boolean> {
    const head = this.#store.head(name);
    const { targets, publicUrl } = this.#addresses();
    const target = targets.find((one) => one.name === name);
    if (head === undefined || target === undefined) return false;
    this.#note(name, head, await callTo(target, head.message, publicUrl));
    return true;
  }

  #note(name: string, { n, message }: { n: number; message: Message }, outcome: Outcome): void {
    const state = this.#store.target(name);
    // Taken out of the settings meanwhile.
    if (state === undefined) return;
    const isTooOld = outcome.type === "Failed" && Date.now() - message.at > MAX_AGE_MS;
    if (outcome.type !== "Failed" || isTooOld) this.#store.removeMessage(n);
    if (outcome.type === "Refused" || isTooOld) logGivenUp(name, message, outcome);
    if (outcome.type === "Failed") {
      const failures = state.failures + 1;
      if (failures === 1) {
        console.warn({
          message: "a notification was not taken; it is sent again",
          target: name,
          failure: outcome.failure,
        });
      }
      // A receiver that asks for no patience would else be called without a pause for as long as it is out of order.
      const waitMs = Math.max(outcome.retryAfterMs ?? 0, backOffMs(failures, LONGEST_BACK_OFF_MS, Math.random()));
      this.#store.putTarget(name, { ...state, failures, retryAt: Date.now() + waitMs });
      return;
    }
    this.#store.putTarget(name, { oldUntil: state.oldUntil, failures: 0 });
  }
}

async function callTo(target: NotificationTarget, message: Message, publicUrl: string | undefined): Promise<Outcome> {
  try {
    return await post(callOf(message, target, { publicUrl, nowMs: Date.now() }));
  } catch (error) {
    return { type: "Refused", failure: errorMessage(error) };
  }
}

function logGivenUp(name: string, { id }: Message, { failure }: Exclude<Outcome, { type: "Taken" }>): void {
  console.error({ message: "a notification was given up", target: name, notification: id, failure });
}
