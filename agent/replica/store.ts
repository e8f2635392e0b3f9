import { setTimeout as pause } from "node:timers/promises";
import type { Condition } from "../../shared/model/condition.ts";
import type { Wanted } from "../apply/desired.ts";
import { Writer } from "../apply/writer.ts";
import type { Contact } from "../edge/contact.ts";
import { EventRecorder } from "../kubernetes/events.ts";
import { DNS_ENDPOINT } from "../kubernetes/kinds.ts";
import type { KubeObject } from "../kubernetes/object.ts";
import { MANAGED_BY_US, refKey } from "../kubernetes/object.ts";
import { inForce } from "../plan/accepted-specs.ts";
import type { Published } from "../plan/explain.ts";
import { conflictsOf } from "../publish/external-dns/conflicts.ts";

import { endpointObjects } from "../publish/external-dns/endpoint-object.ts";
import { Ownership } from "../publish/external-dns/ownership.ts";
import type { KubernetesRecords } from "../sources/api-records.ts";
import { desiredObjects } from "../status/desired-objects.ts";
import type { State } from "../status/state.ts";
import { publishedEvent, type RecordEvent, transitions } from "./condition-events.ts";
import { ContactLease } from "./contact-lease.ts";
import { leavingStatus, toldOf } from "./leaving.ts";
import type { LeaderSessionOptions } from "./term-options.ts";

const CONCURRENCY = 8;
const REFRESHES_PER_SECOND = 10;
const LAST_WRITES_MS = 3_000;

export interface StoreOptions extends LeaderSessionOptions {
  contact: Contact;
  leads: () => boolean;
  /** `Withdrawn`, of a record that is being deleted and waits for the edge. */
  withdrawing: (record: KubeObject) => Condition | undefined;
  /** Takes an answer of the API server, for the time that is in it. */
  onTime: (object: KubeObject) => void;
  /** A record takes part no more, or not yet. */
  isMember: (record: KubeObject) => boolean;
}

/**
 * Where the state of the agent lives in the cluster: DNSEndpoints first, then the contact Lease, and statuses and probe objects
 * through the accumulator (design §3, Kubernetes).
 */
export class Store {
  readonly #options: StoreOptions;
  readonly #writer: Writer;
  readonly #lease: ContactLease;
  readonly #owners: Ownership;
  readonly #events: EventRecorder;
  /** Undefined before the first reading: what is not known yet must not look as if it were gone. */
  #source: KubernetesRecords | undefined;
  #state: State;
  #leavingShown = "";
  #isShowDue = false;
  #isStopped = false;
  #saving: Promise<void> = Promise.resolve();

  constructor(options: StoreOptions, state: State) {
    const { settings, client, caches, contact, namespace, log, leads, identity } = options;
    const elapsedMs = () => performance.now();
    this.#options = options;
    this.#state = state;
    this.#owners = new Ownership(settings);
    this.#events = new EventRecorder({ client, instance: identity, log, elapsedMs });
    const heardAt = () => (contact.heardAgoMs === undefined ? undefined : Date.now() - contact.heardAgoMs);
    this.#lease = new ContactLease({ client, namespace, heardAt, onWritten: options.onTime });
    this.#writer = new Writer({
      client,
      cacheOf: (kind) => {
        const cache = caches.of(kind);
        if (cache === undefined) throw new Error(`${kind.plural} are not watched`);
        return cache;
      },
      isSynced: () => caches.isSynced,
      mayWrite: leads,
      windowMs: settings.reconfigMaxDelayMs,
      concurrency: CONCURRENCY,
      refreshesPerSecond: REFRESHES_PER_SECOND,
      log,
      random: Math.random,
      onFailureChange: (kind) => {
        if (kind === DNS_ENDPOINT) this.#showSoon();
      },
    });
  }

  get writer(): Writer {
    return this.#writer;
  }

  /** Whether nothing more is written: what is to be acknowledged has to look. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** The records as they were read last; what is stored from now on is of these. */
  takeSource(source: KubernetesRecords): void {
    this.#source = source;
  }

  /** Rejects where something of what is to be in DNS, or the number of the delivery, could not be written. */
  save(state: State): Promise<void> {
    const saving = this.#save(state);
    this.#saving = saving.catch(() => undefined);
    return saving;
  }

  async #save(state: State): Promise<void> {
    this.#refuseWhenStopped();
    const before = this.#state;
    this.#state = state;
    const trouble = await this.#publish();
    this.show();
    for (const { key, event } of transitions(before.records, state.records)) this.#tell(key, event);
    this.#options.metrics.setRecords(state.records);
    this.#refuseWhenStopped();
    if (trouble !== undefined) throw new Error(trouble);
    await this.#lease.write(state);
  }

  #refuseWhenStopped(): void {
    if (this.#isStopped) throw new Error("this replica is ending and writes no more");
  }

  /** Writes the contact with the edge down, where that is due. */
  keepContact(): Promise<void> {
    return this.#lease.write(this.#state);
  }

  /** Wants statuses and probe objects as they follow from the state. With `refreshTimes` also where only times changed. */
  show(refreshTimes = false): void {
    const { caches } = this.#options;
    if (this.#source === undefined) return;
    const conflicts = conflictsOf(this.#writer.failures);
    const shown = desiredObjects({
      state: this.#state,
      ...this.#source,
      recordAt: (ref) => caches.records.get(ref),
      probeAt: (ref) => caches.probes.get(ref),
      extraOf: (key) => this.#extraOf(key, conflicts),
      refreshTimes,
      nowMs: Date.now(),
    });
    const leaving = this.#leaving();
    this.#leavingShown = toldOf(leaving);
    const statuses = leaving.map(([object, condition]) => leavingStatus(object, condition));
    this.#writer.want({ ...shown, wanted: [...shown.wanted, ...statuses] }, { refreshTimes });
  }

  /** The same, where something else is to be said of the records that are being deleted. */
  showLeaving(): void {
    if (toldOf(this.#leaving()) !== this.#leavingShown) this.show();
  }

  /** Once for all DNSEndpoints that come into trouble, or out of it, at the same moment; no delivery need follow. */
  #showSoon(): void {
    if (this.#isShowDue) return;
    this.#isShowDue = true;
    setImmediate(() => {
      this.#isShowDue = false;
      this.show();
    });
  }

  /** Asks anew who owns the hosts, and publishes what follows. */
  async askOwners(): Promise<void> {
    if (!(await this.#owners.askAgain(this.#hosts()))) return;
    await this.#publish();
    this.show();
  }

  /** A change of what is to be in DNS, told at each record that names the host; where another is in the way, that instead. */
  published(change: Published): void {
    if (change.added.length + change.removed.length === 0) return;
    const conflicts = conflictsOf(this.#writer.failures);
    for (const { key, spec } of this.#source?.records ?? []) {
      const [conflict] = this.#extraOf(key, conflicts);
      if (spec.rootHost === change.rootHost) this.#tell(key, publishedEvent(change, conflict));
    }
  }

  tellOf(record: KubeObject, event: RecordEvent): void {
    this.#events.record(record, { ...event, at: Date.now() });
  }

  /** Asks no more who owns the hosts: it may take long, and nobody waits for it who ends. */
  askNoMore(): void {
    this.#owners.stop();
  }

  /** What is in DNS already, and in no status yet, the next leader would take back: it is written first, if that is soon done. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#saving;
    if (this.#options.leads())
      await Promise.race([this.#writer.hurry(), pause(LAST_WRITES_MS, undefined, { ref: false })]);
    await this.#writer.stop();
  }

  /** Makes the DNSEndpoints as they are to be; answers in words what could not be written. */
  async #publish(): Promise<string | undefined> {
    const { caches, isMember } = this.#options;
    if (caches.endpoints === undefined || this.#source === undefined) return undefined;
    await this.#owners.ask(this.#hosts());
    const records = this.#source.records.flatMap((record) => inForce(record, this.#state.records[record.key]) ?? []);
    const hostOf = new Map(records.map(({ key, spec }) => [key, spec.rootHost]));
    const wanted = endpointObjects(records, this.#state.hosts, (ref) => caches.endpoints?.get(ref));
    // A record whose finalizer somebody took away is claimed again: what is in DNS of it stays meanwhile.
    const unclaimed = caches.records
      .list()
      .filter((object) => object.metadata.deletionTimestamp === undefined && !isMember(object))
      .map(({ metadata }) => ({ type: "Kept", kind: DNS_ENDPOINT, ref: metadata }) as const);
    const failures = await this.#writer.publish({
      wanted: [...wanted.map((one) => this.#unlessOwned(one, hostOf)), ...unclaimed],
      scopes: [{ kind: DNS_ENDPOINT, labels: MANAGED_BY_US }],
    });
    const failed = failures.filter(({ reason }) => reason === "Unavailable");
    return failed.length === 0 ? undefined : failed.map(({ ref, message }) => `${refKey(ref)}: ${message}`).join("; ");
  }

  /** The records that are being deleted and wait, with how far that is. */
  #leaving(): [KubeObject, Condition][] {
    const { caches, isMember, withdrawing } = this.#options;
    return caches.records.list().flatMap((object): [KubeObject, Condition][] => {
      const condition = isMember(object) ? undefined : withdrawing(object);
      return condition === undefined ? [] : [[object, condition]];
    });
  }

  #unlessOwned(wanted: Wanted, hostOf: ReadonlyMap<string, string>): Wanted {
    if (wanted.type !== "Object") return wanted;
    const { metadata } = wanted.object;
    const rootHost = hostOf.get(refKey(metadata));
    const isOwned = rootHost !== undefined && this.#owners.conditionOf(rootHost) !== undefined;
    return isOwned ? { type: "Kept", kind: wanted.kind, ref: metadata } : wanted;
  }

  #hosts() {
    return Object.entries(this.#state.hosts).map(([rootHost, { served = [] }]) => ({ rootHost, endpoints: served }));
  }

  #extraOf(key: string, conflicts: ReadonlyMap<string, Condition>): Condition[] {
    const rootHost = this.#state.records[key]?.status.rootHost;
    const owned = rootHost === undefined ? undefined : this.#owners.conditionOf(rootHost);
    return [owned ?? conflicts.get(key)].filter((one) => one !== undefined);
  }

  #tell(key: string, event: RecordEvent): void {
    const [namespace = "", name = ""] = key.split("/");
    const object = this.#options.caches.records.get({ namespace, name });
    if (object !== undefined) this.tellOf(object, event);
  }
}
