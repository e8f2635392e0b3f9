import type { NotificationTarget } from "../../shared/model/notification-target.ts";
import type { Troubles } from "../../shared/model/trouble.ts";
import type { Env } from "../env.ts";
import type { NotifierRpc } from "../rpc.ts";
import { readSettings } from "../settings.ts";
import { MeteredObject } from "../usage/metered-object.ts";
import { capacityOf } from "./formats/formats.ts";
import { messagesOf } from "./message.ts";
import { NotifierStore } from "./notifier-store.ts";
import { dueChanges, type Timing } from "./rules/due-changes.ts";
import { isForTarget, updateIncidents } from "./rules/incidents.ts";
import { Sender, type Targets } from "./sender.ts";

/** An alarm that is later than this counts as lost. */
const OVERDUE_MS = 120_000;

type Live = { store: NotifierStore; sender: Sender };

/**
 * Notifies people of alerts (docs/notifications.md). It receives the complete alert lists of the coordinators. For each target
 * it keeps the incidents and a queue. There is one notifier. Without targets it stores nothing.
 */
export class Notifier extends MeteredObject implements NotifierRpc {
  #live: Live | undefined;
  /** When the rules must run again, Unix ms. */
  #rulesAt: number | undefined;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const store = NotifierStore.open(ctx.storage);
    if (store !== undefined) this.#live = this.#makeLive(store);
  }

  async troubles(troubles: Troubles): Promise<{ at: number }> {
    const { targets } = this.#targets();
    if (targets.length === 0 && this.#live === undefined) return { at: troubles.at };
    this.#live ??= this.#makeLive(NotifierStore.create(this.ctx.storage));
    const at = this.#apply(this.#live.store, troubles);
    await this.#process(this.#live);
    return { at };
  }

  async heartbeat(): Promise<void> {
    if (this.#live !== undefined) await this.#process(this.#live);
  }

  override async alarm(): Promise<void> {
    if (this.#live !== undefined) await this.#process(this.#live);
  }

  #makeLive(store: NotifierStore): Live {
    const onIdle = () => this.ctx.waitUntil(this.#arm());
    return { store, sender: new Sender(store, () => this.#targets(), onIdle) };
  }

  #targets(): Targets {
    const { NOTIFICATIONS, PUBLIC_URL, faults } = readSettings(this.env);
    const isComplete = !faults.some(({ setting }) => setting === "NOTIFICATIONS");
    return { targets: NOTIFICATIONS, isComplete, publicUrl: PUBLIC_URL };
  }

  /** Applies a list that is newer than the last one of its partition. Returns when the newest was made. */
  #apply(store: NotifierStore, troubles: Troubles): number {
    return this.ctx.storage.transactionSync(() => {
      this.#syncTargets(store);
      const newestAt = store.newestListAt(troubles.partition);
      if (troubles.at <= newestAt) return newestAt;
      const nowMs = Date.now();
      for (const target of this.#targets().targets) {
        const before = store.incidents(target.name);
        const relevant = troubles.troubles.filter((alert) => isForTarget(target, alert));
        const list = { partition: troubles.partition, troubles: relevant };
        const { oldUntil = 0 } = store.target(target.name) ?? {};
        store.replaceIncidents(target.name, before, updateIncidents(before, list, oldUntil, nowMs));
      }
      store.putListTime(troubles.partition, troubles.at);
      return troubles.at;
    });
  }

  /** Queues what is due, starts sending, and sets the next alarm. It does not wait for the requests: some may hang. */
  async #process({ store, sender }: Live): Promise<void> {
    try {
      this.ctx.storage.transactionSync(() => {
        this.#syncTargets(store);
        const wakeAt = this.#targets().targets.flatMap((target) => enqueueDue(store, target) ?? []);
        this.#rulesAt = wakeAt.length === 0 ? undefined : Math.min(...wakeAt);
      });
      this.ctx.waitUntil(sender.send());
    } finally {
      await this.#arm();
    }
  }

  /** A new target receives no older alerts. The data of a removed target is deleted. */
  #syncTargets(store: NotifierStore): void {
    const { targets, isComplete } = this.#targets();
    const wanted = new Set(targets.map(({ name }) => name));
    const known = new Set(store.targets());
    if (isComplete) for (const name of known) if (!wanted.has(name)) store.removeTarget(name);
    const oldUntil = store.newestListOfAllAt();
    for (const name of wanted) if (!known.has(name)) store.putTarget(name, { oldUntil, failures: 0 });
  }

  /** Sets the alarm if it is absent, later than needed, or lost. */
  async #arm(): Promise<void> {
    const alarm = await this.ctx.storage.getAlarm();
    // Read after the await: a request that ended meanwhile may have set an earlier alarm, which must stay.
    const times = [this.#rulesAt, this.#live?.sender.wakeAt()].filter((time) => time !== undefined);
    if (times.length === 0) return;
    const wakeAt = Math.max(Date.now() + 1, Math.min(...times));
    const isLost = alarm === null || Date.now() - alarm > OVERDUE_MS;
    if (isLost || alarm > wakeAt) await this.ctx.storage.setAlarm(wakeAt);
  }
}

/** Puts due changes into the target's queue. Returns when to call again, Unix ms. */
function enqueueDue(store: NotifierStore, target: NotificationTarget): number | undefined {
  const nowMs = Date.now();
  const before = store.incidents(target.name);
  const { changes, incidents, wakeAt } = dueChanges(before, timingOf(target), nowMs);
  store.replaceIncidents(target.name, before, incidents);
  const dropped = store.enqueue(target.name, messagesOf(target.name, changes, capacityOf(target), nowMs));
  if (dropped > 0)
    console.error({ message: "too many queued notifications; the oldest are dropped", target: target.name, dropped });
  return wakeAt;
}

function timingOf({ minDuration, groupWindow }: NotificationTarget): Timing {
  return { minDurationMs: minDuration, groupWindowMs: groupWindow };
}
