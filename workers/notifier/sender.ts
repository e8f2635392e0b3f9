import { formatDurationMs } from "../../shared/model/duration.ts";
import type { NotificationTarget } from "../../shared/model/notification-target.ts";
import { backOffMs } from "../back-off.ts";
import { errorMessage } from "../retry.ts";
import { requestOf } from "./formats/formats.ts";
import type { Message, OutgoingRequest } from "./message.ts";
import type { NotifierStore } from "./notifier-store.ts";

const LONGEST_BACK_OFF_MS = 300_000;
/** Messages that fail for this long are outdated and dropped. */
const MAX_AGE_MS = 24 * 3_600_000;
/** Longer than a request can take. A request lost with the object is repeated after this time. */
const AFTER_REQUEST_MS = 15_000;

/** The targets by the current settings. */
export interface Targets {
  targets: readonly NotificationTarget[];
  /** False if a setting is invalid: an invalid target is missing here, but not removed. */
  isComplete: boolean;
  publicUrl: string | undefined;
}

/**
 * Sends queued messages to their targets: one request at a time to each, the oldest message first. No target waits for
 * another. A message leaves storage once it is accepted. A restart may therefore repeat one, but loses none.
 */
export class Sender {
  readonly #store: NotifierStore;
  readonly #targets: () => Targets;
  readonly #onIdle: () => void;
  readonly #sending = new Map<string, Promise<void>>();

  /** `onIdle` is called when the requests to a target have ended for now: the remaining messages have another due time. */
  constructor(store: NotifierStore, targets: () => Targets, onIdle: () => void) {
    this.#store = store;
    this.#targets = targets;
    this.#onIdle = onIdle;
  }

  /** Starts to send everything that is due. The promise resolves when all requests have ended. */
  send(): Promise<unknown> {
    for (const { name } of this.#targets().targets) {
      if (this.#sending.has(name) || !this.#isDue(name)) continue;
      this.#sending.set(name, this.#sendTo(name));
    }
    return Promise.all(this.#sending.values());
  }

  /** When to call again, Unix ms; undefined while the queues are empty. */
  wakeAt(): number | undefined {
    const times = this.#targets().targets.flatMap(({ name }) => {
      if (this.#store.waiting(name) === 0) return [];
      return this.#sending.has(name)
        ? Date.now() + AFTER_REQUEST_MS
        : (this.#store.target(name)?.retryAt ?? Date.now());
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
      this.#sending.delete(name);
      this.#onIdle();
    }
  }

  /** Returns whether there may be more to send. */
  async #sendOldest(name: string): Promise<boolean> {
    const head = this.#store.head(name);
    const { targets, publicUrl } = this.#targets();
    const target = targets.find((one) => one.name === name);
    if (head === undefined || target === undefined) return false;
    this.#note(name, head, await sendTo(target, head.message, publicUrl));
    return true;
  }

  #note(name: string, { n, message }: { n: number; message: Message }, outcome: Outcome): void {
    const state = this.#store.target(name);
    // The target was removed from the settings meanwhile.
    if (state === undefined) return;
    const isTooOld = outcome.type === "Failed" && Date.now() - message.at > MAX_AGE_MS;
    if (outcome.type !== "Failed" || isTooOld) this.#store.removeMessage(n);
    if (outcome.type === "Refused" || isTooOld) logDropped(name, message, outcome);
    if (outcome.type === "Failed") {
      const failures = state.failures + 1;
      if (failures === 1) {
        console.warn({
          message: "a notification failed and will be retried",
          target: name,
          failure: outcome.failure,
        });
      }
      // The minimum prevents a tight loop against a receiver that fails with a short Retry-After.
      const waitMs = Math.max(outcome.retryAfterMs ?? 0, backOffMs(failures, LONGEST_BACK_OFF_MS, Math.random()));
      this.#store.putTarget(name, { ...state, failures, retryAt: Date.now() + waitMs });
      return;
    }
    this.#store.putTarget(name, { oldUntil: state.oldUntil, failures: 0 });
  }
}

async function sendTo(target: NotificationTarget, message: Message, publicUrl: string | undefined): Promise<Outcome> {
  try {
    return await post(requestOf(message, target, { publicUrl, nowMs: Date.now() }));
  } catch (error) {
    return { type: "Refused", failure: errorMessage(error) };
  }
}

function logDropped(name: string, { id }: Message, { failure }: Exclude<Outcome, { type: "Accepted" }>): void {
  console.error({ message: "a notification was dropped", target: name, notification: id, failure });
}

/** A request that takes longer has failed. */
const DEADLINE_MS = 10_000;
/** Limit of Retry-After, so that a wrong value does not stop notifications for days. */
const MAX_RETRY_AFTER_MS = 3_600_000;

/** The result of a request. `failure` names no address and no key. */
type Outcome =
  | { type: "Accepted" }
  | { type: "Refused"; failure: string }
  | { type: "Failed"; failure: string; retryAfterMs?: number };

/** Sends a request. Does not follow redirects or read the response body, and ends at the deadline. */
async function post({ url, headers, body }: OutgoingRequest): Promise<Outcome> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), DEADLINE_MS);
  try {
    const request = { method: "POST", headers, body, redirect: "manual", signal: controller.signal } as const;
    const response = await fetch(url, request);
    // A connection that breaks after the response changes nothing.
    await response.body?.cancel().catch(() => {});
    return outcomeOf(response, Date.now());
  } catch {
    // The error may name the address, so it is not logged.
    const isLate = controller.signal.aborted;
    return {
      type: "Failed",
      failure: isLate ? `no answer within ${formatDurationMs(DEADLINE_MS)}` : "cannot be reached",
    };
  } finally {
    clearTimeout(timer);
  }
}

/** Client errors are permanent, except 408 (too slow) and 429 (too many). */
function outcomeOf({ status, ok, headers }: Response, nowMs: number): Outcome {
  if (ok) return { type: "Accepted" };
  const failure = `answered ${status}`;
  if (status >= 400 && status < 500 && status !== 408 && status !== 429) return { type: "Refused", failure };
  const retryAfterMs = retryAfter(headers.get("retry-after"), nowMs);
  return { type: "Failed", failure, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

/** Seconds or a date (RFC 9110 §10.2.3), as ms from now. */
export function retryAfter(text: string | null, nowMs: number): number | undefined {
  if (text === null) return undefined;
  const ms = /^\d{1,9}$/.test(text.trim()) ? Number(text) * 1_000 : Date.parse(text) - nowMs;
  return Number.isNaN(ms) ? undefined : Math.min(MAX_RETRY_AFTER_MS, Math.max(0, ms));
}
