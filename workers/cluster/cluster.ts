import type { ClusterRegistration, ClusterView } from "../../shared/model/cluster.ts";
import type { ExportedCluster } from "../../shared/model/export.ts";
import type { Delivery } from "../../shared/model/messages/delivery.ts";
import type { RecordsView } from "../../shared/model/messages/records-view.ts";
import type { DecisionChanges, Decisions } from "../../shared/model/messages/shares.ts";
import type { SnapshotReceipt } from "../../shared/model/messages/snapshot.ts";
import type { MessageNumber } from "../../shared/model/number.ts";
import type { Usage } from "../../shared/model/usage.ts";
import { formatNumber, NO_NUMBER } from "../../shared/number.ts";
import { type SignedRequest, signatureFault } from "../../shared/signature.ts";
import { CONTACT_EVERY_MS } from "../contact-every.ts";
import { coordinatorOf, type Env } from "../env.ts";
import { problemOf } from "../problems.ts";
import type { ClusterRpc, DecisionsAnswer, Result } from "../rpc.ts";
import { readSettings, type Settings } from "../settings.ts";
import { MeteredObject } from "../usage/metered-object.ts";
import { Coordinators, partitionsAtInstall } from "./coordinators.ts";
import { decidedNumber } from "./delivery.ts";
import type { DeliveryEvent } from "./delivery-events.ts";
import { exportOf, identityOf } from "./exported-cluster.ts";
import { newSecret } from "./new-secret.ts";
import { Outbox } from "./outbox.ts";
import { reportPartitionChange } from "./report-partition-change.ts";
import { snapshotEvents } from "./snapshot-events.ts";
import { receiptOf } from "./snapshot-receipt.ts";
import { ClusterStore, type Identity } from "./store.ts";
import { takeChanges, takeDecisions } from "./take-decisions.ts";
import { type SnapshotRequest, takeSnapshot } from "./take-snapshot.ts";
import { clusterConditions, viewOf } from "./view.ts";

/** If the object is awake anyway, it contacts the coordinators after this long. */
const CONTACT_EARLY_MS = 25_000;
/** The retry interval while a coordinator lacks something. */
const RETRY_MS = 5_000;
/** An alarm that is late by more counts as lost. */
const OVERDUE_MS = 120_000;

/** A cluster that is registered, with everything that works for it. */
type Live = { store: ClusterStore; outbox: Outbox; coordinators: Coordinators };

/**
 * One cluster: its identity and secrets, its last snapshot, and the outbox of its decisions (docs/design/cluster.md).
 */
export class Cluster extends MeteredObject implements ClusterRpc {
  #live: Live | undefined;
  #contactAt: number | undefined;
  #isInAlarm = false;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const store = ClusterStore.open(ctx.storage, this.#settings().PARTITIONS);
    if (store !== undefined) this.#live = this.#bringToLife(store);
  }

  async register(registration: ClusterRegistration): Promise<Result<{ secret: string }>> {
    const secret = newSecret();
    const created = await this.#create({ ...registration, secrets: [secret] });
    return created.ok ? { ok: true, secret } : created;
  }

  async restore(exported: ExportedCluster): Promise<Result<{ secret?: string }>> {
    const { identity, secret } = await identityOf(exported, this.#settings());
    const created = await this.#create(identity);
    return created.ok && secret !== undefined ? { ok: true, secret } : created;
  }

  async export(): Promise<ExportedCluster | undefined> {
    return this.#live && exportOf(this.#live.store, this.#settings());
  }

  async #create(identity: Omit<Identity, "epoch">): Promise<Result<object>> {
    if (this.#live !== undefined) return { ok: false, problem: problemOf("ClusterExists") };
    const { PARTITIONS } = this.#settings();
    const partitions = await partitionsAtInstall((partition) => coordinatorOf(this.env, partition), PARTITIONS);
    // Another call may have registered the cluster during the await.
    if (this.#live !== undefined) return { ok: false, problem: problemOf("ClusterExists") };
    const store = ClusterStore.create(this.ctx.storage, PARTITIONS);
    store.partitions.create(partitions);
    store.identity.update({ ...identity, epoch: Date.now() });
    const live = this.#bringToLife(store);
    this.#live = live;
    this.#contactAt = Date.now();
    await this.#arm();
    await live.coordinators.forward();
    return { ok: true };
  }

  async describe(): Promise<ClusterView | undefined> {
    return this.#live && viewOf(this.#live.store, Date.now());
  }

  async rotate(): Promise<Result<{ secret: string }>> {
    if (this.#live === undefined) return UNKNOWN;
    const { identity } = this.#live.store;
    const secret = newSecret();
    identity.update({ secrets: [secret, ...identity.get().secrets.slice(0, 1)] });
    return { ok: true, secret };
  }

  async rebind(): Promise<Result<object>> {
    if (this.#live === undefined) return UNKNOWN;
    this.#live.store.identity.update({ clusterUid: undefined });
    this.#live.outbox.forget();
    return { ok: true };
  }

  async remove(): Promise<Result<object>> {
    if (this.#live === undefined) return UNKNOWN;
    try {
      await this.#live.coordinators.remove();
    } catch {
      const detail = "The cluster stays registered until every coordinator has forgotten it: try again.";
      return { ok: false, problem: problemOf("CoordinatorUnavailable", detail) };
    }
    this.#live.outbox.stop();
    this.#live = undefined;
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
    return { ok: true };
  }

  async putSnapshot(request: SnapshotRequest): Promise<Result<{ receipt: SnapshotReceipt }>> {
    const live = this.#live;
    if (live === undefined) return UNKNOWN;
    const refused = refusalOf(live.store, request);
    if (refused !== undefined) return refused;
    const before = clusterConditions(live.store, Date.now());
    const pushedBefore = newestInstance(live.store);
    const taken = await takeSnapshot(live.store, this.#settings(), request, Date.now());
    // Also if the snapshot is refused: another agent runs now, and its state is unknown.
    if (newestInstance(live.store) !== pushedBefore) live.outbox.forget();
    const { cluster = "" } = live.store.identity.get();
    const events = snapshotEvents(cluster, before, clusterConditions(live.store, Date.now()));
    this.ctx.waitUntil(live.coordinators.note(events));
    if (!taken.ok) return taken;
    live.store.seen.note("snapshotAt", Date.now());
    const conditions = await live.coordinators.forward();
    await this.#arm();
    const isHeld = !taken.changed && !taken.newInstance;
    const delivery = live.outbox.deliveryFor(isHeld ? live.store.outbox.get().acknowledged : NO_NUMBER);
    return { ok: true, receipt: receiptOf(live.store, taken.lines, conditions, delivery, Date.now()) };
  }

  async pull({ after, ...request }: SignedRequest & { after: MessageNumber }): Promise<Result<{ delivery: Delivery }>> {
    if (this.#live === undefined) return UNKNOWN;
    const { store, outbox } = this.#live;
    const refused = refusalOf(store, request);
    if (refused !== undefined) return refused;
    const failure = outbox.applied(after);
    if (failure !== undefined) {
      const errors = [{ field: "after", value: formatNumber(after), rule: failure }];
      return { ok: false, problem: problemOf("FieldInvalid", undefined, errors) };
    }
    store.seen.note("deliveryAt", Date.now());
    return { ok: true, delivery: outbox.deliveryFor(after) };
  }

  async view(request: SignedRequest): Promise<Result<{ view: RecordsView }>> {
    if (this.#live === undefined) return UNKNOWN;
    const { store, coordinators } = this.#live;
    const refused = refusalOf(store, request);
    if (refused !== undefined) return refused;
    const { cluster = "" } = store.identity.get();
    const number = decidedNumber(store);
    return { ok: true, view: { version: 1, cluster, number, records: await coordinators.view() } };
  }

  async decided(decisions: Decisions): Promise<DecisionsAnswer> {
    return this.#decided((live) => takeDecisions(live, decisions));
  }

  async decidedInPart(changes: DecisionChanges): Promise<DecisionsAnswer> {
    return this.#decided((live) => takeChanges(live, changes));
  }

  async #decided(take: (live: Live) => DecisionsAnswer): Promise<DecisionsAnswer> {
    if (this.#live === undefined) return "Lacking";
    const answer = take(this.#live);
    await this.#arm();
    return answer;
  }

  async heartbeat(): Promise<Usage> {
    if (this.#live !== undefined) await this.#arm();
    return this.meter.take();
  }

  override async alarm(): Promise<void> {
    const live = this.#live;
    if (live === undefined) return;
    this.#isInAlarm = true;
    try {
      await Promise.all([this.#contact(live), live.outbox.run(), reportPartitionChange(live)]);
      live.store.seen.flush();
    } catch (error) {
      console.error("A cluster's alarm failed:", error);
    } finally {
      this.#isInAlarm = false;
      if (this.#live === live) await this.ctx.storage.setAlarm(this.#wakeAt(live));
    }
  }

  #bringToLife(store: ClusterStore): Live {
    const settings = this.#settings();
    const limits = { windowMs: settings.VEDETTE_RECONFIG_MAX_DELAY, patienceMs: settings.EDGE_STALE_AFTER };
    const tell = (news: DeliveryEvent) => {
      const { cluster = "" } = store.identity.get();
      this.ctx.waitUntil(live.coordinators.note([{ ...news, cluster }]));
    };
    const outbox = new Outbox(store, limits, () => this.ctx.waitUntil(this.#arm()), tell);
    const coordinator = (partition: number) => coordinatorOf(this.env, partition);
    const take = (one: Decisions) => takeDecisions(live, one);
    const coordinators = new Coordinators(store, coordinator, take, () => this.meter.take());
    const live: Live = { store, outbox, coordinators };
    return live;
  }

  async #contact({ coordinators }: Live): Promise<void> {
    const leastMs = coordinators.isBehind() ? RETRY_MS : CONTACT_EARLY_MS;
    if (Date.now() - (this.#contactAt ?? 0) < leastMs) return;
    this.#contactAt = Date.now();
    await coordinators.contact();
  }

  #wakeAt({ outbox, coordinators }: Live): number {
    const contactAt = (this.#contactAt ?? Date.now()) + (coordinators.isBehind() ? RETRY_MS : CONTACT_EVERY_MS);
    return Math.max(Date.now() + 1, Math.min(outbox.wakeAt(), contactAt));
  }

  /**
   * Moves the alarm forward if it is later than needed. Sets it to now if it is absent or overdue: alarms were seen
   * days in the past, unfired. In the handler no alarm is set until its end, which sets the next.
   */
  async #arm(): Promise<void> {
    const alarm = await this.ctx.storage.getAlarm();
    if (this.#live === undefined || this.#isInAlarm) return;
    const isLost = alarm === null || Date.now() - alarm > OVERDUE_MS;
    const wakeAt = isLost ? Date.now() + 1 : this.#wakeAt(this.#live);
    if (isLost || alarm > wakeAt) await this.ctx.storage.setAlarm(wakeAt);
  }

  #settings(): Settings {
    return readSettings(this.env);
  }
}

const UNKNOWN = { ok: false, problem: problemOf("ClusterUnknown") } as const;

const newestInstance = (store: ClusterStore) => store.snapshot.get().instances[0]?.instance;

function refusalOf(store: ClusterStore, request: SignedRequest): Extract<Result<object>, { ok: false }> | undefined {
  const fault = signatureFault(request, store.identity.get().secrets, Date.now());
  return fault && { ok: false, problem: problemOf(fault) };
}
