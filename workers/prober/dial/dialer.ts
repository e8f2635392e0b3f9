import type { ProbeRequest, ProbeResult, ProtocolResult } from "../probe/probe-request.ts";
import { protocolResult } from "../probe/probe-request.ts";
import { EXPIRED, withDeadline } from "./deadline.ts";
import { Mutex } from "./mutex.ts";
import type { ProbeTransport } from "./probe-address.ts";
import { probeAddress } from "./probe-address.ts";
import type { Reachability, Slot } from "./slots.ts";
import { once, Slots } from "./slots.ts";

/** What a loopback invocation may take beyond the time of its question. */
const LOOPBACK_GRACE_MS = 1_000;
/**
 * How many dials may be pending on the object's own sockets. Should proven leaves go dark all at once, these are the
 * slots that are gone for 20 s; the others come back with the deadlines.
 */
export const MAX_OWN_SOCKETS = 2;
/** How long a canary waits for a slot, before it takes the connection that is left for the resolver. */
const CANARY_WAIT_MS = 250;
/** How long it has there, with its turn: two canaries that are not answered, one after the other. */
const CANARY_TURN_MS = 5_000;

/** What is to be confirmed is asked as suspects are, and only a dial of its own is a word on it. */
type Asked = Reachability | "doubted";

export interface DialerDependencies extends ProbeTransport {
  /** Asks in an invocation of its own, which drops the socket when it returns. */
  probeInLoopback: (question: ProbeRequest) => Promise<ProbeResult>;
  /** Asks several in one such invocation, at the same time; answers when the last has its answer. */
  probeBatchInLoopback: (questions: readonly ProbeRequest[]) => Promise<ProbeResult[]>;
}

/** A question to a proven address, which is asked with others or by itself, as slots come. */
interface Waiting {
  key: string;
  question: ProbeRequest;
  closing: AbortSignal;
  answer: PromiseWithResolvers<ProbeResult | undefined>;
}

/** Asks addresses within the object's slots: a few proven ones over its own sockets, the rest in loopback invocations. */
export class Dialer {
  readonly #ways: DialerDependencies;
  /** Of the object's own questions, to a resolver for example. */
  readonly #mutex: Mutex;
  readonly #slots = new Slots();
  /** Probes and addresses with a connection of the object's own, and whether it outlived its question. */
  readonly #held = new Map<string, "asking" | "hanging">();
  #pendingDirect = 0;
  #proven: Waiting[] = [];
  /** Proven addresses that one loopback invocation asks at a time: a setting, `DIALS_TOGETHER`. */
  batchSize = 1;

  constructor(ways: DialerDependencies, mutex = new Mutex()) {
    this.#ways = ways;
    this.#mutex = mutex;
  }

  /** Undefined where no slot came before `closing`. The time of the question starts when it has its slot. */
  async ask(
    probeId: string,
    question: ProbeRequest,
    asked: Asked,
    closing: AbortSignal,
  ): Promise<ProbeResult | undefined> {
    const key = `${probeId} ${question.address} ${question.port}`;
    const held = this.#held.get(key);
    // A probe that was changed during its check. The old request says nothing about the new one, which waits.
    if (held === "asking") return undefined;
    if (held === "hanging") return this.#probeBesideHanging(question, asked, closing);
    const standing = asked === "doubted" ? "suspect" : asked;
    if (standing === "proven" && this.batchSize > 1) return this.#probeProven(key, question, closing);
    const slot = await this.#slots.acquire(standing, closing);
    if (slot === undefined) return undefined;
    const usesLoopback = standing === "suspect" || this.#pendingDirect >= MAX_OWN_SOCKETS;
    const probeDirectly = () => this.#probeDirectly(key, question, slot);
    return usesLoopback ? this.#probeInLoopback(question, slot, probeDirectly) : probeDirectly();
  }

  /**
   * One hanging dial may be one broken path, and says nothing about the next. So the leaf is dialled again, but never twice on
   * the object's own sockets. Where it can be dialled nowhere else, its silence confirms nothing.
   */
  async #probeBesideHanging(
    question: ProbeRequest,
    asked: Asked,
    closing: AbortSignal,
  ): Promise<ProbeResult | undefined> {
    const slot = await this.#slots.acquire("suspect", closing);
    return (
      slot &&
      this.#probeInLoopback(question, slot, () => {
        slot.closed();
        return Promise.resolve(asked === "doubted" ? undefined : stillHanging(question));
      })
    );
  }

  /** A free slot serves the request that waits longest, and further ones if it is for a loopback. */
  async #probeProven(key: string, question: ProbeRequest, closing: AbortSignal): Promise<ProbeResult | undefined> {
    const waiting: Waiting = { key, question, closing, answer: Promise.withResolvers() };
    this.#proven.push(waiting);
    const slot = await this.#slots.acquire("proven", closing);
    if (slot !== undefined) await this.#serve(slot);
    else if (this.#proven.includes(waiting)) {
      this.#proven = this.#proven.filter((other) => other !== waiting);
      return undefined;
    }
    return waiting.answer.promise;
  }

  async #serve(slot: Slot): Promise<void> {
    const usesLoopback = this.#pendingDirect >= MAX_OWN_SOCKETS;
    // Probes that are due at the same moment wait by then.
    if (usesLoopback) await scheduler.wait(0);
    const [first, ...others] = this.#proven.splice(0, usesLoopback ? this.batchSize : 1);
    if (first === undefined) slot.closed();
    else if (!usesLoopback) first.answer.resolve(this.#probeDirectly(first.key, first.question, slot));
    else if (others.length === 0)
      first.answer.resolve(
        this.#probeInLoopback(first.question, slot, () => this.#probeDirectly(first.key, first.question, slot)),
      );
    else void this.#probeBatchInLoopback([first, ...others], slot);
  }

  async #probeBatchInLoopback(waiting: readonly Waiting[], slot: Slot): Promise<void> {
    const questions = waiting.map(({ question }) => question);
    const longestMs = Math.max(...questions.map(({ timeoutMs }) => timeoutMs));
    let probeResults: ProbeResult[] | typeof EXPIRED;
    try {
      probeResults = await withDeadline(longestMs + LOOPBACK_GRACE_MS, (deadline) =>
        deadline.race(this.#ways.probeBatchInLoopback(questions)),
      );
    } catch {
      slot.closed();
      for (const one of waiting) one.answer.resolve(this.#probeAlone(one));
      return;
    }
    slot.closed();
    for (const [at, { question, answer }] of waiting.entries()) {
      answer.resolve((probeResults !== EXPIRED && probeResults[at]) || notReturned(question));
    }
  }

  async #probeAlone({ key, question, closing }: Waiting): Promise<ProbeResult | undefined> {
    const slot = await this.#slots.acquire("proven", closing);
    return slot && this.#probeInLoopback(question, slot, () => this.#probeDirectly(key, question, slot));
  }

  /**
   * Dials an address that shows the prober's own faults. It goes before the suspects, but like them in an invocation of its own.
   * Where what hangs has all slots, which is how a region that is cut off looks, it takes the resolver's turn. Undefined where
   * that did not come in time either: not asked is not failed.
   */
  async probeCanary(question: ProbeRequest): Promise<ProbeResult | undefined> {
    const closing = new AbortController();
    const timer = setTimeout(() => closing.abort(), CANARY_WAIT_MS);
    try {
      const slot = await this.#slots.acquire("proven", closing.signal);
      if (slot === undefined) return await this.#probeWithResolverSlot(question);
      const key = `canary ${question.address} ${question.port}`;
      return await this.#probeInLoopback(question, slot, () => this.#probeDirectly(key, question, slot));
    } finally {
      clearTimeout(timer);
    }
  }

  async #probeWithResolverSlot(question: ProbeRequest): Promise<ProbeResult | undefined> {
    let isTooLate = false;
    const asking = this.#mutex.runExclusive(async () => (isTooLate ? undefined : this.#callLoopback(question)));
    try {
      const probeResult = await withDeadline(CANARY_TURN_MS, (deadline) => deadline.race(asking));
      return probeResult === EXPIRED ? undefined : probeResult;
    } catch {
      return undefined;
    } finally {
      isTooLate = true;
    }
  }

  async #probeDirectly(key: string, question: ProbeRequest, slot: Slot): Promise<ProbeResult> {
    this.#held.set(key, "asking");
    this.#pendingDirect += 1;
    const settled = once(() => {
      this.#pendingDirect -= 1;
      slot.settled();
    });
    const closed = once(() => {
      settled();
      this.#held.delete(key);
      slot.closed();
    });
    const probeResult = await probeAddress(this.#ways, question, { settled, closed });
    if (this.#held.has(key)) this.#held.set(key, "hanging");
    return probeResult;
  }

  /**
   * Without a loopback the object's own socket is used. The platform may refuse calls to one's own Worker beyond some number in
   * one invocation (documented for service bindings: 32). Every leaf must be probed all the same.
   */
  async #probeInLoopback<Other extends ProbeResult | undefined>(
    question: ProbeRequest,
    slot: Slot,
    otherwise: () => Promise<Other>,
  ): Promise<ProbeResult | Other> {
    let probeResult: ProbeResult | typeof EXPIRED;
    try {
      probeResult = await this.#callLoopback(question);
    } catch {
      return otherwise();
    }
    slot.closed();
    return probeResult === EXPIRED ? notReturned(question) : probeResult;
  }

  #callLoopback(question: ProbeRequest): Promise<ProbeResult | typeof EXPIRED> {
    return withDeadline(question.timeoutMs + LOOPBACK_GRACE_MS, (deadline) =>
      deadline.race(this.#ways.probeInLoopback(question)),
    );
  }
}

/** Where it can be dialled nowhere else: on the object's own sockets another would only take a second slot for the same silence. */
function stillHanging(question: ProbeRequest): ProbeResult {
  const message = `The last dial to ${question.address} port ${question.port} still hangs; it was not dialled again.`;
  return unasked(question, protocolResult("ConnectTimeout", message));
}

const notReturned = (question: ProbeRequest): ProbeResult =>
  unasked(question, protocolResult("InternalError", "A loopback did not return."));

function unasked(question: ProbeRequest, given: ProtocolResult): ProbeResult {
  return { ...given, phases: { totalMs: 0 }, address: question.address };
}
