import { nextSendAt } from "../../shared/accumulator.ts";
import type { Delivery, WholeDelivery } from "../../shared/model/messages/delivery.ts";
import type { MessageNumber } from "../../shared/model/number.ts";
import { compareNumbers, isNewer } from "../../shared/number.ts";
import { signatureHeaders } from "../../shared/signature.ts";
import { backOffMs } from "../back-off.ts";
import { AgentBase } from "./agent-base.ts";
import type { Difference } from "./decisions.ts";
import { changesFor, decidedNumber, deliveryFor, deliveryId, isBehind, isComplete } from "./delivery.ts";
import { type DeliveryEvent, decided, delivered, leftAfter, reachable, unreachable } from "./delivery-events.ts";
import { goPast } from "./epoch-recovery.ts";
import { failureOf, neverSent } from "./failure.ts";
import type { Change } from "./json-value.ts";
import { type Answer, type Answered, post } from "./send.ts";
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
 * last, since when something waits, and what the agent holds for certain. One call is under way at a time.
 */
export class Outbox {
  readonly #store: ClusterStore;
  readonly #settings: OutboxSettings;
  readonly #onSent: () => void;
  readonly #tell: (news: DeliveryEvent) => void;
  #lastSentAt: number | undefined;
  #dirtySince: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sending: Promise<void> | undefined;
  #base: AgentBase;
  #isStopped = false;
  /** Whether the last answer named a number above all that were sent. */
  #isOvertaken = false;
  /** Word from the edge leaves this long after the last sending, or after half of it if the object is awake anyway. */
  readonly #contactMs: number;

  /** `onSent` is called after each run: the next due time may have changed. `tell` is for the event log. */
  constructor(store: ClusterStore, settings: OutboxSettings, onSent: () => void, tell: (news: DeliveryEvent) => void) {
    this.#store = store;
    this.#settings = settings;
    this.#onSent = onSent;
    this.#base = new AgentBase(store.outbox.get().n);
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
    this.#base.changed(n, [...changed, ...removed]);
    this.#dirtySince ??= Date.now();
  }

  /** What the agent holds is not known any more: the next delivery is whole. What a call under way brings does not change that. */
  forget(): void {
    this.#base = new AgentBase(this.#store.outbox.get().n);
  }

  /** The agent says what it has applied, other than in answer to a call. Answers why that cannot be, in words. */
  applied(number: MessageNumber): string | undefined {
    const failure = goPast(this.#store, number, Date.now());
    this.forget();
    if (failure !== undefined) return failure;
    if (isNewer(number, this.#store.outbox.get().acknowledged)) {
      this.#store.outbox.update({ acknowledged: number, ...this.#confirm(number, Date.now()) });
    }
    return undefined;
  }

  /** What an agent that has applied `applied` is to be given, other than by a call. */
  deliveryFor(applied: MessageNumber): WholeDelivery {
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
    const base = this.#base;
    const delivery = this.#newest();
    this.#lastSentAt = delivery.sentAt;
    this.#dirtySince = undefined;
    const body = JSON.stringify(delivery);
    const headers = signatureHeaders(secrets, deliveryId(delivery), body, delivery.sentAt);
    const allHeaders = { ...headers, "content-type": "application/json" };
    this.#note(delivery, base, await post(webhookUrl, allHeaders, body, DEADLINE_MS));
  }

  #newest(): Delivery {
    const { changes } = this.#base;
    if (changes !== undefined && this.#isBehind()) return changesFor(this.#store, changes, Date.now());
    return this.deliveryFor(this.#store.outbox.get().acknowledged);
  }

  /** `base` is what was known of the agent when the call began. */
  #note(delivery: Delivery, base: AgentBase, answer: Answer): void {
    if (this.#isStopped) return;
    if ("failure" in answer) this.#failed(answer.failure);
    else this.#noteAnswer(delivery, base, answer);
  }

  #noteAnswer(delivery: Delivery, base: AgentBase, { acknowledged, takes }: Answered): void {
    const failure = failureOf(acknowledged, delivery) ?? this.#overtakenBy(acknowledged);
    if (failure !== undefined) {
      this.#failed(failure);
      return;
    }
    const order = compareNumbers(acknowledged, delivery.number);
    if (order === 0) base.answered(acknowledged, takes.includes("Changes"));
    else this.forget();
    const { failures } = this.#store.outbox.get();
    this.#store.outbox.update({
      acknowledged,
      ...this.#confirm(acknowledged, delivery.sentAt),
      ...{ failures: 0, lastFailure: undefined, failingSince: undefined, retryAt: undefined },
    });
    if (failures > 1) this.#tell({ type: "ClusterReachable", message: reachable(failures) });
    this.#store.seen.note("deliveryAt", delivery.sentAt);
    // An agent that answers word from the edge, or changes, with an older number has lost its state, and one that answers
    // whatever it is with a number above has that of another edge: both get all of it at once.
    const isAtOnce = delivery.kind === "Contact" || order < 0 || this.#isOvertaken;
    if (isAtOnce && this.#isBehind()) this.#lastSentAt = undefined;
  }

  /** Goes past a number that was never given out; an agent that names one above each delivery anew is out of order. */
  #overtakenBy(acknowledged: MessageNumber): string | undefined {
    const wasOvertaken = this.#isOvertaken;
    this.#isOvertaken = isNewer(acknowledged, decidedNumber(this.#store));
    if (!this.#isOvertaken) return undefined;
    return goPast(this.#store, acknowledged, Date.now()) ?? (wasOvertaken ? neverSent(acknowledged) : undefined);
  }

  /** Tells of decisions that the agent has applied with this number; what of the state is other then. */
  #confirm(applied: MessageNumber, sentAt: number): Pick<Change<OutboxState>, "unconfirmed"> {
    const { unconfirmed } = this.#store.outbox.get();
    if (unconfirmed === undefined || applied.n < unconfirmed.first) return {};
    this.#tell({ type: "Delivered", message: delivered(applied, Date.now() - unconfirmed.at) });
    return { unconfirmed: leftAfter(unconfirmed, applied.n, sentAt) };
  }

  #failed(lastFailure: string): void {
    this.forget();
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
