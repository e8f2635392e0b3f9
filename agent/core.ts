import type { Condition } from "../shared/model/condition.ts";
import { formatDurationMs } from "../shared/model/duration.ts";
import { formatFieldError } from "../shared/model/field-error.ts";
import type { MessageNumber } from "../shared/model/number.ts";
import type { Contact } from "./edge/contact.ts";
import { type ReadDelivery, readDelivery } from "./edge/delivered.ts";
import { type Held, type News, Told } from "./edge/told.ts";
import { readView } from "./edge/view.ts";
import { afterAnswer, hostsNamed, sharesOf } from "./plan/accepted-specs.ts";
import { explain, formatPublished, type Published } from "./plan/explain.ts";
import { nextSerial, planHosts } from "./plan/plan-hosts.ts";
import type { StatePublisher } from "./publish/state-publisher.ts";
import type { Log } from "./runtime/log.ts";
import { LogOnChange } from "./runtime/log-on-change.ts";
import { type SourceState, stateKey } from "./sources/file-source.ts";
import { unwatchedWarnings } from "./status/conditions.ts";
import { recordStates } from "./status/record-states.ts";
import { refreshChecks, withNewestChecks } from "./status/refresh-checks.ts";
import type { HostState, State } from "./status/state.ts";

/**
 * What became of a delivery: `Applied` names the highest number that is stored and in DNS, which is an older one for changes
 * that stand on what is not held, and none to word from the edge while a decision is lacking; and says whether changes to that number would be taken.
 */
export type Applied =
  | { kind: "Applied"; number: MessageNumber; takesChanges: boolean }
  | { kind: "Refused"; message: string }
  | { kind: "NotStored" };

/** What the edge said of one pushed record; the digest is that of the spec that was pushed. */
export interface Answer {
  key: string;
  digest: string;
  condition: Condition;
}

export interface CoreOptions {
  cluster: string;
  edgeStaleAfterMs: number;
  contact: Contact;
  output: StatePublisher;
  /** Something changed that a snapshot holds. */
  onSnapshotChanged: () => void;
  onPublished: (change: Published) => void;
  log: Log;
  /** Unix ms */
  now: () => number;
}

/**
 * What the agent knows and publishes. Whatever happens (records read, a delivery, an answer, silence) changes the state and
 * then settles it: decide what is to be in DNS, store, switch DNS, tell. One at a time, in the order they came.
 */
export class Core {
  readonly #options: CoreOptions;
  readonly #noted: LogOnChange;
  #state: State;
  #source: SourceState = { complete: false, records: [], problems: [] };
  #queue: Promise<unknown> = Promise.resolve();
  readonly #told: Told;

  /** Serves at once what was in DNS when the state was stored. */
  constructor(options: CoreOptions, state: State) {
    this.#options = options;
    this.#noted = new LogOnChange(options.log);
    this.#state = state;
    this.#told = new Told(options.cluster, state.sentAt);
    void options.output.serve(state, this.#source);
  }

  get state(): State {
    return this.#state;
  }

  get source(): SourceState {
    return this.#source;
  }

  /** What to name to the edge as held. */
  get held(): MessageNumber {
    return this.#told.toName(this.#state);
  }

  /** This cluster's records that the edge names, by key; undefined before it told of all in this process. */
  get namedByEdge(): ReadonlySet<string> | undefined {
    return this.#told.named;
  }

  /** Whether deliveries can be taken: all records have been read. */
  get isReady(): boolean {
    return this.#source.complete;
  }

  /** The records as they were read last. */
  takeSource(source: SourceState): Promise<void> {
    return this.#inTurn(async () => {
      const before = stateKey(this.#source);
      this.#source = source;
      this.#noted.noteAll("manifest", source.problems);
      if (!source.complete) return;
      if (stateKey(source) === before && this.#state.problems.join() === source.problems.join()) {
        // Records that take no part are shown too.
        this.show();
        return;
      }
      await this.#settle();
      this.#options.onSnapshotChanged();
    });
  }

  /** Takes a delivery that is known to be the edge's. An older one changes nothing, and is acknowledged with what is held. */
  takeDelivery(json: unknown): Promise<Applied> {
    return this.#inTurn(async () => {
      const read = readDelivery(json);
      if (!read.ok) return this.#refuse(read.errors.map(formatFieldError).join("; "));
      const { delivery } = read;
      if (delivery.cluster !== this.#options.cluster)
        return this.#refuse(`cluster: ${delivery.cluster} is not this one`);
      if (!this.#told.isReplay(delivery, this.#held())) this.#hear(delivery);
      if (!(await this.#settle())) return { kind: "NotStored" };
      return { kind: "Applied", ...this.#told.answerTo(delivery, this.#held()) };
    });
  }

  /** What the edge said of the records of a snapshot. */
  takeAnswers(answers: readonly Answer[]): Promise<void> {
    return this.#inTurn(async () => {
      const records = { ...this.#state.records };
      for (const { key, digest, condition } of answers) {
        const state = records[key];
        if (state !== undefined) records[key] = afterAnswer(state, digest, condition);
      }
      const refused = answers.filter(({ condition }) => condition.status === "False");
      this.#noted.noteAll(
        "refused",
        refused.map(({ key, condition }) => `The edge refuses ${key}: ${condition.message}`),
      );
      this.#state = { ...this.#state, records };
      await this.#settle();
    });
  }

  /** Takes what the edge sees just now of the probes, to be shown; nothing in DNS changes by it. Whether it is stored. */
  takeView(json: unknown): Promise<boolean> {
    return this.#inTurn(async () => {
      const view = readView(json);
      if (view !== undefined) this.#state = refreshChecks(this.#state, view);
      return this.#store();
    });
  }

  /** Time has passed: the edge may count as silent now. */
  tick(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#options.contact.state === "Silent" && !this.#state.silent) await this.#settle();
    });
  }

  /** Shows the status of the records as it is now. */
  show(): void {
    this.#options.output.show(this.#state, this.#source);
  }

  /** Resolves when all that has come until now is settled. */
  async idle(): Promise<void> {
    await this.#queue;
  }

  #refuse(message: string): Applied {
    this.#noted.note("delivery", `A delivery was refused: ${message}`);
    return { kind: "Refused", message };
  }

  /** Any word of the edge is contact; only newer decisions are taken, and changes only to what is held. */
  #hear(delivery: ReadDelivery): void {
    this.#options.contact.heard();
    const news = this.#told.hear(delivery, this.#held());
    if (news !== undefined) this.#takeNews(news);
  }

  #held(): Held {
    return { ...this.#state, own: hostsNamed(this.#source.records, this.#state.records) };
  }

  #takeNews({ number, records, refused, foreign }: News): void {
    const { own } = this.#held();
    this.#noted.noteAll(
      "refused record",
      refused.map((why) => `A delivered record was not taken, its last form stays: ${why}`),
    );
    this.#noted.noteAll(
      "foreign",
      foreign.map((host) => `${host} was delivered and ignored: no record here names it`),
    );
    const hosts: Record<string, HostState> = { ...this.#state.hosts };
    for (const record of records.filter(({ rootHost }) => own.has(rootHost))) {
      const host = hosts[record.rootHost];
      hosts[record.rootHost] = { ...host, delivered: withNewestChecks(record, host?.delivered) };
    }
    this.#state = {
      ...this.#state,
      number,
      sentAt: this.#told.sentAt,
      hosts,
      serial: nextSerial(this.#state.serial, number),
    };
  }

  /** Answers whether the state is stored. What was decided goes into DNS either way: a full disk must not stop a failover. */
  async #settle(): Promise<boolean> {
    if (!this.#source.complete) return this.#store();
    const { cluster, contact, edgeStaleAfterMs, now } = this.#options;
    const { hosts, number } = this.#state;
    const silent = contact.state === "Silent";
    const staleAfter = formatDurationMs(edgeStaleAfterMs);
    const silence = silent
      ? `No delivery from the edge for ${staleAfter}: each record's whenSilent decides`
      : undefined;
    this.#noted.note("contact", silence, "The edge is heard again");
    const plan = planHosts({ cluster, shares: sharesOf(this.#source.records, this.#state.records), hosts, silent });
    const serial = plan.changes.length > 0 ? nextSerial(this.#state.serial, number) : this.#state.serial;
    this.#state = { ...this.#state, silent, serial, hosts: plan.hosts, problems: [...this.#source.problems] };
    const about = { cluster, contact: contact.state, edgeStaleAfterMs, nowMs: now() };
    this.#state = { ...this.#state, records: recordStates(this.#source.records, this.#state.records, plan, about) };
    this.#noted.noteAll("unwatched", unwatchedWarnings(this.#state.records));
    const stored = await this.#store();
    await this.#options.output.serve(this.#state, this.#source);
    for (const change of plan.changes) {
      const published = explain(change, plan.hosts[change.rootHost]?.delivered, now());
      this.#options.log("info", formatPublished(published), { change: published });
      this.#options.onPublished(published);
    }
    if (plan.changes.length > 0) this.#options.onSnapshotChanged();
    return stored;
  }

  #store(): Promise<boolean> {
    return this.#options.output.store(this.#state, this.#source);
  }

  #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const turn = this.#queue.then(work);
    this.#queue = turn.catch(() => {});
    return turn;
  }
}
