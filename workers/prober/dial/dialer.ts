import type { Answer, Finding, Question } from "../probe/probe-request.ts";
import { answer } from "../probe/probe-request.ts";
import { EXPIRED, withDeadline } from "./deadline.ts";
import { Turn } from "./mutex.ts";
import type { Reach } from "./probe-address.ts";
import { askAddress } from "./probe-address.ts";
import type { Slot, Standing } from "./slots.ts";
import { once, Slots } from "./slots.ts";

/** What a loopback invocation may take beyond the time of its question. */
const LOOPBACK_GRACE_MS = 1_000;
/**
 * How many dials may be pending on the object's own sockets. Should proven leaves go dark all at once, these are the
 * slots that are gone for 20 s; the others come back with the deadlines.
 */
export const MAX_HERE = 2;
/** How long a canary waits for a slot, before it takes the connection that is left for the resolver. */
const CANARY_WAIT_MS = 250;
/** How long it has there, with its turn: two canaries that are not answered, one after the other. */
const CANARY_TURN_MS = 5_000;

/** What is to be confirmed is asked as suspects are, and only a dial of its own is a word on it. */
type Asked = Standing | "doubted";

export interface Ways extends Reach {
  /** Asks in an invocation of its own, which drops the socket when it returns. */
  askElsewhere: (question: Question) => Promise<Finding>;
  /** Asks several in one such invocation, at the same time; answers when the last has its answer. */
  askTogether: (questions: readonly Question[]) => Promise<Finding[]>;
}

/** A question to a proven address, which is asked with others or by itself, as slots come. */
interface Waiting {
  key: string;
  question: Question;
  closing: AbortSignal;
  answer: PromiseWithResolvers<Finding | undefined>;
}

/** Asks addresses within the object's slots: a few proven ones over its own sockets, the rest in loopback invocations. */
export class Dialler {
  readonly #ways: Ways;
  /** Of the object's own questions, to a resolver for example. */
  readonly #turn: Turn;
  readonly #slots = new Slots();
  /** Probes and addresses with a connection of the object's own, and whether it outlived its question. */
  readonly #held = new Map<string, "asking" | "hanging">();
  #pendingHere = 0;
  #proven: Waiting[] = [];
  /** Proven addresses that one loopback invocation asks at a time: a setting, `DIALS_TOGETHER`. */
  mostTogether = 1;

  constructor(ways: Ways, turn = new Turn()) {
    this.#ways = ways;
    this.#turn = turn;
  }

  /** Undefined where no slot came before `closing`. The time of the question starts when it has its slot. */
  async ask(probeId: string, question: Question, asked: Asked, closing: AbortSignal): Promise<Finding | undefined> {
    const key = `${probeId} ${question.address} ${question.port}`;
    const held = this.#held.get(key);
    // A probe that was changed while it was asked: the old question is no word on the new one, which waits its turn.
    if (held === "asking") return undefined;
    if (held === "hanging") return this.#askBeside(question, asked, closing);
    const standing = asked === "doubted" ? "suspect" : asked;
    if (standing === "proven" && this.mostTogether > 1) return this.#askProven(key, question, closing);
    const slot = await this.#slots.acquire(standing, closing);
    if (slot === undefined) return undefined;
    const isElsewhere = standing === "suspect" || this.#pendingHere >= MAX_HERE;
    const askHere = () => this.#askHere(key, question, slot);
    return isElsewhere ? this.#askElsewhere(question, slot, askHere) : askHere();
  }

  /**
   * One dial that hangs may be one path that is broken, and is no word on the next: the leaf is dialled anew, but never twice on
   * the object's own sockets. Where it can be dialled nowhere else, its silence confirms nothing.
   */
  async #askBeside(question: Question, asked: Asked, closing: AbortSignal): Promise<Finding | undefined> {
    const slot = await this.#slots.acquire("suspect", closing);
    return (
      slot &&
      this.#askElsewhere(question, slot, () => {
        slot.closed();
        return Promise.resolve(asked === "doubted" ? undefined : stillHanging(question));
      })
    );
  }

  /** A slot that comes serves whoever waits longest, and more of them where it is for a loopback. */
  async #askProven(key: string, question: Question, closing: AbortSignal): Promise<Finding | undefined> {
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
    const isElsewhere = this.#pendingHere >= MAX_HERE;
    // Whoever is due at the same moment waits by then.
    if (isElsewhere) await scheduler.wait(0);
    const [first, ...others] = this.#proven.splice(0, isElsewhere ? this.mostTogether : 1);
    if (first === undefined) slot.closed();
    else if (!isElsewhere) first.answer.resolve(this.#askHere(first.key, first.question, slot));
    else if (others.length === 0)
      first.answer.resolve(
        this.#askElsewhere(first.question, slot, () => this.#askHere(first.key, first.question, slot)),
      );
    else void this.#askTogether([first, ...others], slot);
  }

  async #askTogether(waiting: readonly Waiting[], slot: Slot): Promise<void> {
    const questions = waiting.map(({ question }) => question);
    const longestMs = Math.max(...questions.map(({ timeoutMs }) => timeoutMs));
    let findings: Finding[] | typeof EXPIRED;
    try {
      findings = await withDeadline(longestMs + LOOPBACK_GRACE_MS, (deadline) =>
        deadline.race(this.#ways.askTogether(questions)),
      );
    } catch {
      slot.closed();
      for (const one of waiting) one.answer.resolve(this.#askAlone(one));
      return;
    }
    slot.closed();
    for (const [at, { question, answer }] of waiting.entries()) {
      answer.resolve((findings !== EXPIRED && findings[at]) || notReturned(question));
    }
  }

  async #askAlone({ key, question, closing }: Waiting): Promise<Finding | undefined> {
    const slot = await this.#slots.acquire("proven", closing);
    return slot && this.#askElsewhere(question, slot, () => this.#askHere(key, question, slot));
  }

  /**
   * Dials an address that tells the prober's own trouble. It goes before the suspects, but like them in an invocation of
   * its own. Where what hangs has all slots, which is how a region that is cut off looks, it takes the resolver's turn.
   * Undefined where that did not come in time either: not asked is not failed.
   */
  async askCanary(question: Question): Promise<Finding | undefined> {
    const closing = new AbortController();
    const timer = setTimeout(() => closing.abort(), CANARY_WAIT_MS);
    try {
      const slot = await this.#slots.acquire("proven", closing.signal);
      if (slot === undefined) return await this.#askInTurn(question);
      const key = `canary ${question.address} ${question.port}`;
      return await this.#askElsewhere(question, slot, () => this.#askHere(key, question, slot));
    } finally {
      clearTimeout(timer);
    }
  }

  async #askInTurn(question: Question): Promise<Finding | undefined> {
    let isTooLate = false;
    const asking = this.#turn.take(async () => (isTooLate ? undefined : this.#inLoopback(question)));
    try {
      const finding = await withDeadline(CANARY_TURN_MS, (deadline) => deadline.race(asking));
      return finding === EXPIRED ? undefined : finding;
    } catch {
      return undefined;
    } finally {
      isTooLate = true;
    }
  }

  async #askHere(key: string, question: Question, slot: Slot): Promise<Finding> {
    this.#held.set(key, "asking");
    this.#pendingHere += 1;
    const settled = once(() => {
      this.#pendingHere -= 1;
      slot.settled();
    });
    const closed = once(() => {
      settled();
      this.#held.delete(key);
      slot.closed();
    });
    const finding = await askAddress(this.#ways, question, { settled, closed });
    if (this.#held.has(key)) this.#held.set(key, "hanging");
    return finding;
  }

  /**
   * Where no loopback is to be had, the object's own socket has to do: the platform may refuse calls to one's own Worker
   * beyond some number in one invocation (documented for service bindings: 32), and no leaf may go unasked for that.
   */
  async #askElsewhere<Other extends Finding | undefined>(
    question: Question,
    slot: Slot,
    otherwise: () => Promise<Other>,
  ): Promise<Finding | Other> {
    let finding: Finding | typeof EXPIRED;
    try {
      finding = await this.#inLoopback(question);
    } catch {
      return otherwise();
    }
    slot.closed();
    return finding === EXPIRED ? notReturned(question) : finding;
  }

  #inLoopback(question: Question): Promise<Finding | typeof EXPIRED> {
    return withDeadline(question.timeoutMs + LOOPBACK_GRACE_MS, (deadline) =>
      deadline.race(this.#ways.askElsewhere(question)),
    );
  }
}

/** Where it can be dialled nowhere else: on the object's own sockets another would only take a second slot for the same silence. */
function stillHanging(question: Question): Finding {
  const message = `The last dial to ${question.address} port ${question.port} still hangs; it was not dialled again.`;
  return unasked(question, answer("ConnectTimeout", message));
}

const notReturned = (question: Question): Finding =>
  unasked(question, answer("InternalError", "A loopback did not return."));

function unasked(question: Question, given: Answer): Finding {
  return { ...given, phases: { totalMs: 0 }, address: question.address };
}
