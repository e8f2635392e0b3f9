import { setTimeout as pause } from "node:timers/promises";
import { type Applied, Core } from "../core.ts";
import { Contact } from "../edge/contact.ts";
import { ApiServerClock } from "../finalizer/api-server-clock.ts";
import type { FinalizerController } from "../finalizer/finalizer-controller.ts";
import { DNS_ENDPOINT, DNS_HEALTH_CHECK_POLICY, DNS_RECORD, GATEWAY, type Kind } from "../kubernetes/kinds.ts";
import type { KubeObject } from "../kubernetes/object.ts";
import { Link } from "../link.ts";
import type { Published } from "../plan/explain.ts";
import { repeat } from "../runtime/repeat.ts";
import { zoneSettings } from "../serve.ts";
import type { GatewayController } from "../sources/gateway/gateway-controller.ts";
import { HeaderSecrets } from "../sources/header-secrets.ts";
import { KubernetesSource } from "../sources/kubernetes-source.ts";
import type { State } from "../status/state.ts";
import { makeGateways, makeLifecycle } from "./controllers.ts";
import { guardByLeadership } from "./leader-guarded-client.ts";
import { loadState } from "./load-state.ts";
import { isSpecChange } from "./relevant.ts";
import { Store } from "./store.ts";
import type { LeaderSessionOptions } from "./term-options.ts";

const LOOK_MS = 100;
const TICK_MS = 500;
const CONTACT_MS = 5_000;
/** A delivery is acknowledged when its statuses are written, or after this: what is in DNS by then is what counts. */
const SHOWN_WITHIN_MS = 5_000;

/**
 * The work of the replica that leads, from when it takes over until it loses or gives back the leadership: reads the records,
 * pushes them to the edge, takes its deliveries, and writes what follows from them.
 */
export class LeaderSession {
  readonly #options: LeaderSessionOptions;
  readonly #contact: Contact;
  readonly #apiClock = new ApiServerClock(elapsedMs);
  readonly #lifecycle: FinalizerController;
  readonly #store: Store;
  readonly #core: Core;
  readonly #link: Link;
  readonly #gateways: GatewayController;
  readonly #secrets: HeaderSecrets;
  readonly #source: KubernetesSource;
  readonly #opened = new AsyncDisposableStack();
  #isDue = true;
  #secretsStanding = "";
  #isAbandoned = false;

  /** Takes up the state that the objects of the cluster hold. Rejects while these cannot be read. */
  static async begin(options: LeaderSessionOptions): Promise<LeaderSession> {
    // A watch may be behind the leader before: what it does not show yet would be taken for not there.
    await options.caches.refresh();
    const term = new LeaderSession(options, await loadState(options));
    term.#start();
    return term;
  }

  private constructor(given: LeaderSessionOptions, state: State) {
    const options = { ...given, client: guardByLeadership(given.client, () => this.#leads) };
    const { settings, caches } = options;
    this.#options = options;
    this.#contact = new Contact(settings.edgeStaleAfterMs, state.silent, elapsedMs, () => this.#link.heard());
    this.#lifecycle = makeLifecycle(options, {
      contact: this.#contact,
      apiClock: this.#apiClock,
      hosts: () => this.#core.state.hosts,
      onEvent: (record, event) => this.#store.tellOf(record, event),
    });
    const isMember = (record: KubeObject) => this.#lifecycle.isMember(record);
    const withdrawing = (record: KubeObject) => this.#lifecycle.conditionOf(record);
    const leads = () => this.#leads;
    const onTime = (object: KubeObject) => this.#apiClock.observe(object);
    this.#store = new Store({ ...options, contact: this.#contact, leads, isMember, withdrawing, onTime }, state);
    this.#secrets = new HeaderSecrets({
      ...options,
      elapsedMs,
      resyncMs: settings.resyncMs,
      onChange: () => this.#due(),
    });
    this.#source = new KubernetesSource({ caches, secrets: this.#secrets, isMember });
    this.#core = this.#makeCore(state);
    this.#link = this.#makeLink();
    this.#gateways = makeGateways(options);
  }

  /** Whether deliveries can be taken: all records have been read. */
  get isReady(): boolean {
    return this.#leads && this.#core.isReady;
  }

  /** When the edge was last heard of, for metrics. */
  get contact(): { ageMs: number; isSilent: boolean } {
    const { edgeStaleAfterMs } = this.#options.settings;
    return { ageMs: edgeStaleAfterMs - this.#contact.silentInMs, isSilent: this.#contact.state === "Silent" };
  }

  /** Takes a delivery that is known to be the edge's; answers once it is in DNS, stored, and, as a rule, shown. */
  async apply(json: unknown): Promise<Applied> {
    const applied = await this.#core.takeDelivery(json);
    this.#edgeHolds();
    if (applied.kind !== "Applied") return applied;
    await Promise.race([this.#store.writer.flushed(), pause(SHOWN_WITHIN_MS, undefined, { ref: false })]);
    return this.#leads && !this.#store.isStopped ? applied : { kind: "NotStored" };
  }

  /** An object of the cluster came, changed or went. */
  changed(kind: Kind, before: KubeObject | undefined, after: KubeObject | undefined): void {
    const object = after ?? before;
    if (object === undefined || this.#isAbandoned) return;
    this.#apiClock.observe(object);
    this.#store.writer.changed(kind, object.metadata);
    if (kind === DNS_RECORD || kind === DNS_ENDPOINT) this.#lifecycle.changed();
    if (kind === GATEWAY || kind === DNS_HEALTH_CHECK_POLICY) this.#gateways.changed();
    if (kind !== DNS_RECORD || !isSpecChange(before, after)) return;
    this.#gateways.changed();
    this.#due();
  }

  /** Writes nothing more: another replica may lead from now on. */
  abandon(): void {
    this.#isAbandoned = true;
  }

  /** Ends the work; what is in DNS and in the objects stays. */
  async stop(): Promise<void> {
    await this.#opened.disposeAsync();
  }

  get #leads(): boolean {
    return !this.#isAbandoned && this.#options.isLeader();
  }

  #start(): void {
    const { settings, log } = this.#options;
    const every = (work: () => Promise<void>, delayMs: number) => {
      const repeated = repeat(work, () => delayMs, log);
      this.#opened.defer(() => repeated.stop());
    };
    this.#opened.defer(() => this.#secrets.stop());
    this.#opened.defer(() => this.#core.idle());
    this.#opened.defer(() => this.#store.stop());
    this.#opened.defer(() => this.#lifecycle.stop());
    this.#opened.defer(() => this.#gateways.stop());
    this.#gateways.start();
    this.#lifecycle.changed();
    every(() => this.#look(), LOOK_MS);
    every(() => this.#tick(), TICK_MS);
    every(() => this.#keepContact(), CONTACT_MS);
    every(() => this.#refresh(), settings.statusRefreshMs);
    every(() => this.#store.askOwners(), settings.resyncMs);
    // First of all: whoever waits for the edge or for DNS is let go.
    this.#opened.defer(() => this.#link.stop());
    this.#opened.defer(() => this.#store.askNoMore());
  }

  #due(): void {
    this.#isDue = true;
  }

  /** Reads the records again where something of them may have changed. */
  async #look(): Promise<void> {
    const { standing } = this.#secrets;
    if (standing !== this.#secretsStanding) this.#isDue = true;
    this.#secretsStanding = standing;
    if (!this.#isDue || !this.#leads) return;
    this.#isDue = false;
    const startedAt = elapsedMs();
    const read = this.#source.read();
    if (read === undefined) return this.#due();
    this.#store.takeSource(read);
    await this.#core.takeSource({ complete: true, records: read.records, problems: read.problems });
    // What is shown of records that take no part is no matter of the core.
    this.#store.show();
    this.#options.metrics.observeReconcile("records", "success", elapsedMs() - startedAt);
    this.#link.start();
  }

  /** Time has passed: the edge may count as silent, and what is said of a record that is being deleted may be another thing. */
  async #tick(): Promise<void> {
    await this.#core.tick();
    if (this.#leads) this.#store.showLeaving();
  }

  async #keepContact(): Promise<void> {
    if (this.#leads && this.#core.isReady) await this.#store.keepContact();
  }

  /** Check times and exact counts, of which no delivery tells where nothing else changed. */
  async #refresh(): Promise<void> {
    if (!this.#leads || !this.#core.isReady) return;
    const view = await this.#link.readView();
    if (view !== undefined) await this.#core.takeView(view);
    this.#store.show(true);
  }

  #edgeHolds(taken?: ReadonlySet<string>): void {
    this.#lifecycle.edgeStateChanged(taken, this.#core.namedByEdge);
  }

  #published(change: Published): void {
    const { hooks, metrics } = this.#options;
    const nowMs = Date.now();
    const { hosts, sentAt } = this.#core.state;
    const decidedAt = hosts[change.rootHost]?.delivered?.decidedAt;
    metrics.observeLag(nowMs - sentAt, decidedAt === undefined ? [] : [nowMs - decidedAt]);
    this.#store.published(change);
    hooks.onPublished?.(change);
  }

  #makeCore(state: State): Core {
    const { settings, serve, log } = this.#options;
    const { cluster, edgeStaleAfterMs } = settings;
    return new Core(
      {
        cluster,
        edgeStaleAfterMs,
        zones: zoneSettings(settings),
        contact: this.#contact,
        serve: (zones) => {
          if (this.#leads) serve(zones);
        },
        save: async (next) => {
          if (!this.#leads) throw new Error("this replica leads no more");
          await this.#store.save(next);
        },
        onSnapshotChanged: () => this.#link.snapshotChanged(),
        onPublished: (change) => this.#published(change),
        log,
        now: Date.now,
      },
      state,
    );
  }

  #makeLink(): Link {
    const { settings, metrics, log } = this.#options;
    return new Link({
      settings,
      core: () => this.#core,
      reread: async () => this.#due(),
      onSnapshotTaken: (keys) => this.#edgeHolds(keys),
      onPushed: (result, records) => metrics.observePush(result, records),
      log,
      now: Date.now,
      elapsedMs,
    });
  }
}

const elapsedMs = () => performance.now();
