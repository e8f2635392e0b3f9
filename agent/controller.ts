import { formatDurationMs } from "../shared/model/duration.ts";
import { formatFieldError } from "../shared/model/field-error.ts";
import type { MessageNumber } from "../shared/model/number.ts";
import type { Contact } from "./edge/contact.ts";
import { type ReadDelivery, readDelivery } from "./edge/delivered.ts";
import { type Held, type News, Told } from "./edge/told.ts";
import { readView } from "./edge/view.ts";
import { afterAnswers, hostsNamed, type RecordAnswer, sharesOf } from "./plan/accepted-specs.ts";
import { explain, formatPublished, type Published } from "./plan/explain.ts";
import { type HostChange, nextSerial, planHosts } from "./plan/plan-hosts.ts";
import type { StatePublisher } from "./publish/state-publisher.ts";
import type { Log } from "./runtime/log.ts";
import { LogOnChange } from "./runtime/log-on-change.ts";
import { type SourceState, stateKey } from "./sources/file-source.ts";
import { unwatchedWarnings } from "./status/conditions.ts";
import { recordStates } from "./status/record-status.ts";
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

export interface ControllerOptions {
  cluster: string;
  edgeStaleAfterMs: number;
  contact: Contact;
  output: StatePublisher;
  /** Called when something in the snapshot has changed. */
  onSnapshotChanged: () => void;
  onPublished: (change: Published) => void;
  log: Log;
  /** Unix ms */
  now: () => number;
}

/**
 * Holds what the agent knows, and keeps DNS as it follows from that. Each event (records read, a delivery, an answer of the edge,
 * silence) changes the state and runs the loop. Events are handled one at a time, in the order in which they came.
 */
export class Controller {
  readonly #options: ControllerOptions;
  readonly #noted: LogOnChange;
  #state: State;
  #source: SourceState = { complete: false, records: [], problems: [] };
  #queue: Promise<unknown> = Promise.resolve();
  readonly #told: Told;

  /** Publishes at once what was in DNS when the state was stored. */
  constructor(options: ControllerOptions, state: State) {
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

  /** The number to report to the edge. */
  get held(): MessageNumber {
    return this.#told.toName(this.#state);
  }

  /** This cluster's records that the edge names, by key; undefined before it told of all in this process. */
  get namedByEdge(): ReadonlySet<string> | undefined {
    return this.#told.named;
  }

  /** Whether deliveries can be taken, that is, all records have been read. */
  get isReady(): boolean {
    return this.#source.complete;
  }

  /** Takes the records as they were read last. */
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
      await this.#reconcile();
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
      if (!(await this.#reconcile())) return { kind: "NotStored" };
      return { kind: "Applied", ...this.#told.answerTo(delivery, this.#held()) };
    });
  }

  /** Takes the answers of the edge to the records of a snapshot. */
  takeAnswers(answers: readonly RecordAnswer[]): Promise<void> {
    return this.#inTurn(async () => {
      const refused = answers.filter(({ condition }) => condition.status === "False");
      this.#noted.noteAll(
        "refused",
        refused.map(({ key, condition }) => `The edge refuses ${key}: ${condition.message}`),
      );
      this.#state = { ...this.#state, records: afterAnswers(this.#state.records, answers) };
      await this.#reconcile();
    });
  }

  /** Takes the current view of the edge on the probes, to be shown. Nothing in DNS changes. Returns whether it is stored. */
  takeView(json: unknown): Promise<boolean> {
    return this.#inTurn(async () => {
      const view = readView(json);
      if (view !== undefined) this.#state = refreshChecks(this.#state, view);
      return this.#store();
    });
  }

  /** To be called when the edge may count as silent by now. */
  tick(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#options.contact.state === "Silent" && !this.#state.silent) await this.#reconcile();
    });
  }

  /** Shows the status of the records as it is now. */
  show(): void {
    this.#options.output.show(this.#state, this.#source);
  }

  /** Resolves when all events until now are handled. */
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

  /** The loop: plan what is to be in DNS, store it, publish it, and report what has changed. Returns whether it is stored. */
  async #reconcile(): Promise<boolean> {
    if (!this.#source.complete) return this.#store();
    const changes = this.#plan();
    const isStored = await this.#store();
    await this.#options.output.serve(this.#state, this.#source);
    this.#report(changes);
    return isStored;
  }

  /** Brings the state up to date with the records, the decisions and the contact. Returns the hosts that change in DNS. */
  #plan(): readonly HostChange[] {
    const { cluster, contact, edgeStaleAfterMs, now } = this.#options;
    const { records: own, problems } = this.#source;
    const { hosts, number, records } = this.#state;
    const silent = contact.state === "Silent";
    this.#noteSilence(silent);
    const plan = planHosts({ cluster, shares: sharesOf(own, records), hosts, silent });
    const serial = plan.changes.length > 0 ? nextSerial(this.#state.serial, number) : this.#state.serial;
    const about = { cluster, contact: contact.state, edgeStaleAfterMs, nowMs: now() };
    const next = { silent, serial, hosts: plan.hosts, problems: [...problems] };
    this.#state = { ...this.#state, ...next, records: recordStates(own, records, plan, about) };
    this.#noted.noteAll("unwatched", unwatchedWarnings(this.#state.records));
    return plan.changes;
  }

  #noteSilence(isSilent: boolean): void {
    const staleAfter = formatDurationMs(this.#options.edgeStaleAfterMs);
    const message = `No delivery from the edge for ${staleAfter}: each record's whenSilent decides`;
    this.#noted.note("contact", isSilent ? message : undefined, "The edge is heard again");
  }

  #report(changes: readonly HostChange[]): void {
    const { log, now, onPublished, onSnapshotChanged } = this.#options;
    for (const change of changes) {
      const published = explain(change, this.#state.hosts[change.rootHost]?.delivered, now());
      log("info", formatPublished(published), { change: published });
      onPublished(published);
    }
    if (changes.length > 0) onSnapshotChanged();
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
