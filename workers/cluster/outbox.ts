import { nextSendAt } from "../../shared/accumulator.ts";
import type { Delivery } from "../../shared/model/messages/delivery.ts";
import type { MessageNumber } from "../../shared/model/number.ts";
import { formatNumber, isCredible, isNewer, numberAbove } from "../../shared/number.ts";
import { signatureHeaders } from "../../shared/signature.ts";
import { backOffMs } from "../back-off.ts";
import type { Change } from "./cell.ts";
import type { Difference } from "./decisions.ts";
import { decidedNumber, deliveryFor, isBehind, isComplete } from "./delivery.ts";
import { failureOf, neverSent, tooFarAhead } from "./failure.ts";
import { decided, delivered, leftAfter, type OutboxNews, reachable, unreachable } from "./outbox-news.ts";
import { type Answer, post } from "./send.ts";
import type { ClusterStore, OutboxState } from "./store.ts";

/** One delivery leaves at least each minute; alarms may be late. */
const CONTACT_MS = 50_000;
/** And several within `edgeStaleAfter`, or an agent that waits less than a minute takes a quiet edge for a silent one. */
const CONTACTS_WITHIN_PATIENCE = 3;
/** A call that is not over by then has failed. */
const DEADLINE_MS = 10_000;
/** A due time this close is held by a timer, with the alarm behind it; one further off by the alarm alone. */
const TIMER_MS = 10_000;
const BEHIND_TIMER_MS = 2_000;

export interface OutboxSettings {
  /** Window in which changes are coalesced. */
  windowMs: number;
  /** `edgeStaleAfter`: how long an edge without memory waits for the decisions of all partitions. */
  patienceMs: number;
}

/**
 * Deliveries to one agent. The truth (decided above acknowledged) is in storage; memory only holds when something left
 * last and since when something waits. One call is under way at a time.
 */
export class Outbox {
  readonly #store: ClusterStore;
  readonly #settings: OutboxSettings;
  readonly #onSent: () => void;
  readonly #tell: (news: OutboxNews) => void;
  #lastSentAt: number | undefined;
  #dirtySince: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sending: Promise<void> | undefined;
  #isStopped = false;
  /** Whether the last answer named a number above all that were sent. */
  #isOvertaken = false;
  /** Word from the edge leaves this long after the last sending, or after half of it if the object is awake anyway. */
  readonly #contactMs: number;

  /** `onSent` is called after each run: the next due time may have changed. `tell` is for the event log. */
  constructor(store: ClusterStore, settings: OutboxSettings, onSent: () => void, tell: (news: OutboxNews) => void) {
    this.#store = store;
    this.#settings = settings;
    this.#onSent = onSent;
    this.#tell = tell;
    this.#contactMs = Math.min(CONTACT_MS, settings.patienceMs / CONTACTS_WITHIN_PATIENCE);
  }

  /**
   * Newer decisions are stored. Where they differ from those before, that counts as a new delivery, which leaves when its
   * window allows. `isDecision` where what is to be in DNS is another, and not only what is said of it.
   */
  changed(isDecision: boolean, { changed, removed }: Difference): void {
    if (changed.length + removed.length === 0) return;
    const { n: before, unconfirmed } = this.#store.outbox.get();
    const n = before + 1;
    this.#store.outbox.update({ n, ...(isDecision && { unconfirmed: decided(unconfirmed, n, Date.now()) }) });
    this.#dirtySince ??= Date.now();
  }

  /** The agent says what it has applied, other than in answer to a call. Answers why that cannot be, in words. */
  applied(number: MessageNumber): string | undefined {
    const failure = this.#goPast(number);
    if (failure !== undefined) return failure;
    if (isNewer(number, this.#store.outbox.get().acknowledged)) {
      this.#store.outbox.update({ acknowledged: number, ...this.#confirm(number, Date.now()) });
    }
    return undefined;
  }

  /** What an agent that has applied `applied` is to be given. */
  deliveryFor(applied: MessageNumber): Delivery {
    const nowMs = Date.now();
    return deliveryFor(this.#store, applied, this.#isComplete(nowMs), nowMs);
  }

  /** When the alarm has to come, Unix ms: behind the timer where one holds the next call. */
  wakeAt(): number {
    const dueAt = this.#dueAt() ?? Number.POSITIVE_INFINITY;
    return this.#isForTimer(dueAt) ? dueAt + BEHIND_TIMER_MS : dueAt;
  }

  /** Sees to it that what waits leaves when its window is over. */
  schedule(): void {
    clearTimeout(this.#timer);
    const dueAt = this.#dueAt();
    if (dueAt === undefined || !this.#isForTimer(dueAt)) return;
    this.#timer = setTimeout(() => void this.run(), Math.max(0, dueAt - Date.now()));
  }

  /** Nothing leaves any more, and what a call under way brings is dropped. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** Sends whatever is due; joins the call under way, if there is one. Never throws. */
  run(): Promise<void> {
    this.#sending ??= this.#sendDue()
      .catch(logged)
      .finally(() => {
        this.#sending = undefined;
      });
    return this.#sending;
  }

  async #sendDue(): Promise<void> {
    if (!this.#isDue()) return;
    try {
      do await this.#send();
      while (this.#isDue());
    } catch (error) {
      logged(error);
      this.#failed("the edge could not make the delivery");
    }
    if (this.#isStopped) return;
    this.schedule();
    this.#onSent();
  }

  /** After a restart nobody knows when word left last: the alarm that wakes the object counts as its time. */
  #isDue(): boolean {
    const dueAt = this.#dueAt();
    if (dueAt === undefined) return false;
    const isContact = this.#store.outbox.get().failures === 0 && !this.#isBehind();
    return (isContact ? (this.#lastSentAt ?? 0) + this.#contactMs / 2 : dueAt) <= Date.now();
  }

  /** When the next call has to leave at the latest, Unix ms; undefined for an agent that asks. */
  #dueAt(): number | undefined {
    if (this.#isStopped || this.#store.identity.get().webhookUrl === undefined) return undefined;
    const { failures, retryAt = 0 } = this.#store.outbox.get();
    if (failures > 0) return retryAt;
    return this.#isBehind() ? this.#changeDueAt() : (this.#lastSentAt ?? Date.now()) + this.#contactMs;
  }

  #isForTimer(dueAt: number): boolean {
    return this.#isBehind() && dueAt - Date.now() <= TIMER_MS;
  }

  #changeDueAt(): number | undefined {
    const sent = this.#lastSentAt === undefined ? {} : { lastSentAt: this.#lastSentAt };
    return nextSendAt({ ...sent, dirtySince: this.#dirtySince ?? 0 }, this.#settings.windowMs);
  }

  async #send(): Promise<void> {
    const { webhookUrl = "", secrets } = this.#store.identity.get();
    const delivery = this.deliveryFor(this.#store.outbox.get().acknowledged);
    this.#lastSentAt = delivery.sentAt;
    this.#dirtySince = undefined;
    const body = JSON.stringify(delivery);
    const headers = signatureHeaders(secrets, idOf(delivery), body, delivery.sentAt);
    const allHeaders = { ...headers, "content-type": "application/json" };
    this.#note(delivery, await post(webhookUrl, allHeaders, body, DEADLINE_MS));
  }

  #note(delivery: Delivery, answer: Answer): void {
    if (this.#isStopped) return;
    const failure = failureOf(answer, delivery) ?? this.#overtakenBy(answer);
    if (failure !== undefined) {
      this.#failed(failure);
      return;
    }
    const { failures } = this.#store.outbox.get();
    this.#store.outbox.update({
      ...("acknowledged" in answer && {
        acknowledged: answer.acknowledged,
        ...this.#confirm(answer.acknowledged, delivery.sentAt),
      }),
      ...{ failures: 0, lastFailure: undefined, failingSince: undefined, retryAt: undefined },
    });
    if (failures > 1) this.#tell({ type: "ClusterReachable", message: reachable(failures) });
    this.#store.seen.note("deliveryAt", delivery.sentAt);
    // An agent that answers word from the edge with an older number has lost its state, and one that answers whatever it is
    // with a number above has that of another edge: both get all of it at once.
    if ((delivery.kind === "Contact" || this.#isOvertaken) && this.#isBehind()) this.#lastSentAt = undefined;
  }

  /** Goes past a number that was never given out; an agent that names one above each delivery anew is out of order. */
  #overtakenBy(answer: Answer): string | undefined {
    const wasOvertaken = this.#isOvertaken;
    this.#isOvertaken = "acknowledged" in answer && isNewer(answer.acknowledged, decidedNumber(this.#store));
    if (!("acknowledged" in answer) || !this.#isOvertaken) return undefined;
    const failure = this.#goPast(answer.acknowledged);
    return failure ?? (wasOvertaken ? neverSent(answer.acknowledged) : undefined);
  }

  /**
   * Numbers on above what the agent has applied, or it would take all that is decided for old: the edge was put back to an
   * earlier time, or another one had the cluster before. Answers why not, in words, where the number is nonsense.
   */
  #goPast(applied: MessageNumber): string | undefined {
    const decided = decidedNumber(this.#store);
    if (!isNewer(applied, decided)) return undefined;
    if (!isCredible(applied, decided, Date.now())) return tooFarAhead(applied);
    const above = numberAbove(applied);
    const { unconfirmed } = this.#store.outbox.get();
    this.#store.outbox.update({
      ...above,
      unconfirmed: unconfirmed && { ...unconfirmed, first: above.n, last: above.n },
    });
    return undefined;
  }

  /** Tells of decisions that the agent has applied with this number; what of the state is other then. */
  #confirm(applied: MessageNumber, sentAt: number): Pick<Change<OutboxState>, "unconfirmed"> {
    const { unconfirmed } = this.#store.outbox.get();
    if (unconfirmed === undefined || applied.n < unconfirmed.first) return {};
    this.#tell({ type: "Delivered", message: delivered(applied, Date.now() - unconfirmed.at) });
    return { unconfirmed: leftAfter(unconfirmed, applied.n, sentAt) };
  }

  #failed(lastFailure: string): void {
    const { failures: before, failingSince = Date.now() } = this.#store.outbox.get();
    const failures = before + 1;
    const retryAt = Date.now() + backOffMs(failures, this.#contactMs, Math.random());
    this.#store.outbox.update({ failures, lastFailure, failingSince, retryAt });
    if (failures === 2) this.#tell({ type: "ClusterUnreachable", message: unreachable(failingSince, lastFailure) });
  }

  #isBehind(): boolean {
    return isBehind(this.#store, this.#store.outbox.get().acknowledged, this.#isComplete(Date.now()));
  }

  #isComplete(nowMs: number): boolean {
    return isComplete(this.#store, this.#settings.patienceMs, nowMs);
  }
}

function logged(error: unknown): void {
  console.error("A delivery failed within the edge:", error);
}

/** The same over retries: a delivery is known by its number, and word from the edge by when it left. */
function idOf({ kind, number, sentAt }: Delivery): string {
  const id = formatNumber(number).replace(".", "_");
  return kind === "Full" ? `delivery_${id}` : `contact_${id}_${sentAt}`;
}
