import { setTimeout as pause } from "node:timers/promises";
import type { Applied } from "../controller.ts";
import { DNS_ENDPOINT, DNS_HEALTH_CHECK_POLICY, DNS_RECORD, GATEWAY, type Kind } from "../kubernetes/kinds.ts";
import type { KubeObject } from "../kubernetes/object.ts";
import type { Published } from "../plan/explain.ts";
import { WorkQueue } from "../runtime/workqueue.ts";
import type { State } from "../status/state.ts";
import { isSpecChange } from "./informers.ts";
import { type LeaderComponents, makeComponents } from "./leader-components.ts";
import { guardByLeadership } from "./leader-guarded-client.ts";
import type { LeaderSessionOptions } from "./leader-session-options.ts";
import { loadState } from "./load-state.ts";

/** How often the state of header Secrets is looked at: an informer reports no error of its first list. */
const SECRETS_MS = 100;
/** How often the conditions of records that are being deleted are looked at: they change with time. */
const DELETIONS_MS = 500;
const CONTACT_MS = 5_000;
const MIN_SILENCE_MS = 20;
/** A delivery is acknowledged when its statuses are written, or after this: what is in DNS by then is what counts. */
const SHOWN_WITHIN_MS = 5_000;
const LAST_WRITES_MS = 3_000;

/** What a session does beside deliveries. Each task runs when an event asks for it, or at its own time. */
type Task = "records" | "silence" | "status" | "deletions" | "contact" | "checks" | "recheck";
const TASKS: readonly Task[] = ["records", "silence", "deletions", "contact", "checks", "recheck"];

/**
 * The work of the leader, from when it takes over until it loses or gives back the leadership. It reads the records, pushes them to
 * the edge, takes its deliveries, and publishes what follows.
 */
export class LeaderSession {
  readonly #options: LeaderSessionOptions;
  readonly #queue: WorkQueue<Task>;
  readonly #parts: LeaderComponents;
  readonly #opened = new AsyncDisposableStack();
  #isSourceDue = true;
  #secretsState = "";
  #isAbandoned = false;
  #isStopping = false;

  /** Starts from the state that the objects of the cluster hold. Rejects while these cannot be read. */
  static async begin(options: LeaderSessionOptions): Promise<LeaderSession> {
    // A watch may be behind the former leader: what it does not show yet would be taken for not there.
    await options.caches.refresh();
    const session = new LeaderSession(options, await loadState(options));
    session.#start();
    return session;
  }

  private constructor(unguarded: LeaderSessionOptions, state: State) {
    const options = { ...unguarded, client: guardByLeadership(unguarded.client, () => this.#leads) };
    this.#options = options;
    const onError = (task: Task, { message }: Error) =>
      options.log("warn", `Unexpected, in the task ${task}: ${message}`);
    this.#queue = new WorkQueue({ process: (task) => this.#process(task), concurrency: TASKS.length + 1, onError });
    this.#parts = makeComponents(options, state, {
      leads: () => this.#leads,
      assertMayWrite: () => this.#assertMayWrite(),
      onHeard: () => this.#heard(),
      onSourceChange: () => this.#sourceDue(),
      onStatusChange: () => this.#queue.addAfter("status", 1),
      onSnapshotChange: () => this.#parts.link.snapshotChanged(),
      onSnapshotTaken: (keys) => this.#edgeHolds(keys),
      onPublished: (change) => this.#published(change),
    });
  }

  /** Whether deliveries can be taken: all records have been read. */
  get isReady(): boolean {
    return this.#leads && this.#parts.core.isReady;
  }

  /** When the edge was last heard, for metrics. */
  get contact(): { ageMs: number; isSilent: boolean } {
    const { edgeStaleAfterMs } = this.#options.settings;
    return {
      ageMs: edgeStaleAfterMs - this.#parts.contact.silentInMs,
      isSilent: this.#parts.contact.state === "Silent",
    };
  }

  /** Applies a delivery whose signature was checked. Resolves once it is in DNS, stored, and, as a rule, shown. */
  async apply(json: unknown): Promise<Applied> {
    const applied = await this.#parts.core.takeDelivery(json);
    this.#edgeHolds();
    if (applied.kind !== "Applied") return applied;
    await Promise.race([this.#parts.writer.flushed(), pause(SHOWN_WITHIN_MS, undefined, { ref: false })]);
    return this.#leads && !this.#isStopping ? applied : { kind: "NotStored" };
  }

  /** To be called when an object of the cluster came, changed or went. */
  changed(kind: Kind, before: KubeObject | undefined, after: KubeObject | undefined): void {
    const object = after ?? before;
    if (object === undefined || this.#isAbandoned) return;
    this.#parts.apiClock.observe(object);
    this.#parts.writer.changed(kind, object.metadata);
    if (kind === DNS_RECORD || kind === DNS_ENDPOINT) this.#parts.lifecycle.changed();
    if (kind === GATEWAY || kind === DNS_HEALTH_CHECK_POLICY) this.#parts.gateways.changed();
    if (kind !== DNS_RECORD) return;
    this.#queue.add("deletions");
    if (!isSpecChange(before, after)) return;
    this.#parts.gateways.changed();
    this.#sourceDue();
  }

  /** Call it when a kind was synced, became known or became unknown. */
  kindsChanged(): void {
    if (!this.#isAbandoned) this.#parts.gateways.changed();
  }

  /** Stops all writes at once: another replica may lead from now on. */
  abandon(): void {
    this.#isAbandoned = true;
  }

  /** Ends the work. What is in DNS and in the objects stays. */
  async stop(): Promise<void> {
    await this.#opened.disposeAsync();
  }

  get #leads(): boolean {
    return !this.#isAbandoned && this.#options.isLeader();
  }

  #start(): void {
    this.#opened.defer(() => this.#parts.secrets.stop());
    this.#opened.defer(() => this.#parts.core.idle());
    this.#opened.defer(() => this.#stopWriting());
    this.#opened.defer(() => this.#parts.lifecycle.stop());
    this.#opened.defer(() => this.#parts.gateways.stop());
    this.#opened.defer(() => this.#queue.shutDown());
    this.#parts.gateways.start();
    this.#parts.lifecycle.changed();
    for (const task of TASKS) this.#queue.add(task);
    this.#queue.start();
    // First, to free those that wait for the edge or for DNS.
    this.#opened.defer(() => this.#parts.link.stop());
    this.#opened.defer(() => {
      for (const publisher of this.#parts.publishers) publisher.stop();
    });
  }

  /** The next leader would take back what is in DNS and in no status yet. That is written first, if it is soon done. */
  async #stopWriting(): Promise<void> {
    this.#isStopping = true;
    await this.#parts.core.idle();
    if (this.#leads) await Promise.race([this.#parts.writer.hurry(), pause(LAST_WRITES_MS, undefined, { ref: false })]);
    await this.#parts.writer.stop();
  }

  /** Returns the delay after which the task runs again, in milliseconds; undefined for one that waits for an event. */
  async #process(task: Task): Promise<number | undefined> {
    const againMs = await this.#run(task);
    this.#queue.forget(task);
    return againMs;
  }

  async #run(task: Task): Promise<number | undefined> {
    const { settings } = this.#options;
    const isReady = this.#leads && this.#parts.core.isReady;
    switch (task) {
      case "records":
        if (this.#leads) await this.#readRecords();
        return this.#isSourceDue || this.#parts.secrets.isWatching ? SECRETS_MS : undefined;
      case "silence":
        await this.#parts.core.tick();
        return this.#parts.contact.state === "Silent"
          ? undefined
          : Math.max(MIN_SILENCE_MS, this.#parts.contact.silentInMs);
      case "status":
        this.#parts.statuses.showAgain();
        return undefined;
      case "deletions":
        if (this.#leads) this.#parts.statuses.showDeletions();
        return this.#parts.statuses.hasDeletions ? DELETIONS_MS : undefined;
      case "contact":
        if (isReady) await this.#parts.lease.keepAlive();
        return CONTACT_MS;
      case "checks":
        if (isReady) await this.#refreshChecks();
        return settings.statusRefreshMs;
      case "recheck":
        if (this.#leads) await Promise.all(this.#parts.publishers.map((publisher) => publisher.recheck()));
        return settings.resyncMs;
    }
  }

  #sourceDue(): void {
    this.#isSourceDue = true;
    this.#queue.add("records");
  }

  /** Reads the records again if they, or the header Secrets, may have changed. */
  async #readRecords(): Promise<void> {
    const { state } = this.#parts.secrets;
    if (!this.#isSourceDue && state === this.#secretsState) return;
    this.#secretsState = state;
    this.#isSourceDue = true;
    const startedAt = elapsedMs();
    const read = this.#parts.source.read();
    if (read === undefined) return;
    this.#isSourceDue = false;
    await this.#parts.core.takeSource({ complete: true, ...read });
    this.#options.metrics.observeReconcile("records", "success", elapsedMs() - startedAt);
    this.#parts.link.start();
  }

  /** Reads check times and exact counts from the edge. Deliveries do not carry them while nothing else changes. */
  async #refreshChecks(): Promise<void> {
    const view = await this.#parts.link.readView();
    if (view !== undefined) await this.#parts.core.takeView(view);
    this.#parts.statuses.showAgain({ refreshTimes: true });
  }

  #heard(): void {
    this.#parts.link.heard();
    if (!this.#queue.has("silence")) this.#queue.add("silence");
  }

  #edgeHolds(taken?: ReadonlySet<string>): void {
    this.#parts.lifecycle.edgeStateChanged(taken, this.#parts.core.namedByEdge);
    this.#queue.add("deletions");
  }

  #published(change: Published): void {
    const { hooks, metrics } = this.#options;
    const nowMs = Date.now();
    const { hosts, sentAt } = this.#parts.core.state;
    const decidedAt = hosts[change.rootHost]?.delivered?.decidedAt;
    metrics.observeLag(nowMs - sentAt, decidedAt === undefined ? [] : [nowMs - decidedAt]);
    this.#parts.statuses.recordChange(change);
    hooks.onPublished?.(change);
  }

  #assertMayWrite(): void {
    if (!this.#leads) throw new Error("this replica leads no more");
    if (this.#isStopping) throw new Error("this replica is ending and writes no more");
  }
}

const elapsedMs = () => performance.now();
