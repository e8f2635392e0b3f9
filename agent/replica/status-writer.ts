import type { Condition } from "../../shared/model/condition.ts";
import type { Wanted } from "../apply/desired.ts";
import type { Writer } from "../apply/writer.ts";
import type { EventRecorder } from "../kubernetes/events.ts";
import { DNS_RECORD } from "../kubernetes/kinds.ts";
import type { KubeObject } from "../kubernetes/object.ts";
import type { AgentMetrics } from "../metrics/metrics.ts";
import type { Published } from "../plan/explain.ts";
import { conflictOf, type Publisher } from "../publish/publisher.ts";
import type { SourceState } from "../sources/file-source.ts";
import { deletionStatus } from "../status/deletion-status.ts";
import { desiredObjects } from "../status/desired-objects.ts";
import type { State } from "../status/state.ts";
import { publishedEvent, type RecordEvent, transitions } from "./condition-events.ts";
import type { Informers } from "./informers.ts";

export interface StatusWriterOptions {
  writer: Writer;
  informers: Pick<Informers, "records" | "probes">;
  publishers: readonly Publisher[];
  events: EventRecorder;
  metrics: Pick<AgentMetrics, "setRecords">;
  /** Whether a record takes part, by its finalizer. */
  isMember: (record: KubeObject) => boolean;
  /** The condition `Withdrawn` of a record that is being deleted and waits for the edge. */
  deletionConditionOf: (record: KubeObject) => Condition | undefined;
}

/** Shows the state in the cluster: statuses and probe objects through the accumulation window, events, and metrics. */
export class StatusWriter {
  readonly #options: StatusWriterOptions;
  #records: State["records"];
  #shown: { state: State; source: SourceState } | undefined;
  #deletions = "";

  /** @param records the statuses that a former leader has written */
  constructor(options: StatusWriterOptions, records: State["records"]) {
    this.#options = options;
    this.#records = records;
  }

  /** Shows this state. Changes of conditions since the last state become events. */
  show(state: State, source: SourceState): void {
    const before = this.#records;
    this.#records = state.records;
    this.#shown = { state, source };
    this.#want();
    for (const { key, event } of transitions(before, state.records)) this.#recordEventAt(key, event);
    this.#options.metrics.setRecords(state.records);
  }

  /** Shows the last state again. With `refreshTimes` also objects of which only check times have changed. */
  showAgain({ refreshTimes = false } = {}): void {
    this.#want(refreshTimes);
  }

  /** Shows again if the conditions of records that are being deleted have changed. They change with time alone. */
  showDeletions(): void {
    if (digestOf(this.#beingDeleted()) !== this.#deletions) this.#want();
  }

  /** Whether a record is being deleted and waits for the edge. */
  get hasDeletions(): boolean {
    return this.#beingDeleted().length > 0;
  }

  /** Records a change in DNS as an event at each record of the host, or the conflict that prevented it. */
  recordChange(change: Published): void {
    if (this.#shown === undefined || change.added.length + change.removed.length === 0) return;
    for (const { key, spec } of this.#shown.source.records) {
      if (spec.rootHost === change.rootHost) this.#recordEventAt(key, publishedEvent(change, this.#conflictOf(key)));
    }
  }

  recordEvent(record: KubeObject, event: RecordEvent): void {
    this.#options.events.record(record, { ...event, at: Date.now() });
  }

  /** Before the first state nothing is desired: what is not known yet must not be deleted. */
  #want(refreshTimes = false): void {
    const { informers, writer } = this.#options;
    if (this.#shown === undefined) return;
    const { state, source } = this.#shown;
    const shown = desiredObjects({
      state,
      records: source.records,
      refused: source.refused ?? [],
      recordAt: (ref) => informers.records.get(ref),
      probeAt: (ref) => informers.probes.get(ref),
      extraOf: (key) => [this.#conflictOf(key)].filter((condition) => condition !== undefined),
      refreshTimes,
      nowMs: Date.now(),
    });
    const deletions = this.#beingDeleted();
    this.#deletions = digestOf(deletions);
    const statuses = deletions.map(([object, condition]) => wantedDeletionStatus(object, condition));
    writer.want({ ...shown, wanted: [...shown.wanted, ...statuses] }, { refreshTimes });
  }

  #conflictOf(key: string): Condition | undefined {
    const problems = this.#options.publishers.flatMap((publisher) => publisher.problems());
    return conflictOf(problems, { key, rootHost: this.#shown?.state.records[key]?.status.rootHost });
  }

  #beingDeleted(): [KubeObject, Condition][] {
    const { informers, isMember, deletionConditionOf } = this.#options;
    return informers.records.list().flatMap((object): [KubeObject, Condition][] => {
      const condition = isMember(object) ? undefined : deletionConditionOf(object);
      return condition === undefined ? [] : [[object, condition]];
    });
  }

  #recordEventAt(key: string, event: RecordEvent): void {
    const [namespace = "", name = ""] = key.split("/");
    const object = this.#options.informers.records.get({ namespace, name });
    if (object !== undefined) this.recordEvent(object, event);
  }
}

const digestOf = (deletions: readonly [KubeObject, Condition][]) =>
  JSON.stringify(deletions.map(([{ metadata }, condition]) => [metadata.uid, condition]));

function wantedDeletionStatus(object: KubeObject, condition: Condition): Wanted {
  const { name, namespace, uid = "" } = object.metadata;
  const ref = { name, ...(namespace !== undefined && { namespace }), uid };
  return { type: "Status", kind: DNS_RECORD, ref, status: deletionStatus(object, condition, Date.now()) };
}
