import type { NotificationTarget } from "../../shared/model/notification-target.ts";
import type { Troubles } from "../../shared/model/trouble.ts";
import type { Env } from "../env.ts";
import type { NotifierRpc } from "../rpc.ts";
import { readSettings } from "../settings.ts";
import { MeteredObject } from "../usage/metered-object.ts";
import { type Addresses, Courier } from "./courier.ts";
import { roomOf } from "./formats/formats.ts";
import { messagesOf } from "./message.ts";
import { concerns } from "./rules/concerns.ts";
import { dueChanges, type Timing } from "./rules/due.ts";
import { takeTroubles } from "./rules/take.ts";
import { NotifierStore } from "./store.ts";

/** An alarm that is late by more counts as lost. */
const OVERDUE_MS = 120_000;

type Live = { store: NotifierStore; courier: Courier };

/**
 * Notifies people of faults (docs/notifications.md). It receives whole lists from the coordinators. For each target it keeps the
 * state of each incident, and a queue. There is one. Without targets nothing is stored.
 */
export class Notifier extends MeteredObject implements NotifierRpc {
  #live: Live | undefined;
  /** When the rules have to be asked again, Unix ms. */
  #rulesAt: number | undefined;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const store = NotifierStore.open(ctx.storage);
    if (store !== undefined) this.#live = this.#bringToLife(store);
  }

  async troubles(troubles: Troubles): Promise<{ at: number }> {
    const { targets } = this.#addresses();
    if (targets.length === 0 && this.#live === undefined) return { at: troubles.at };
    this.#live ??= this.#bringToLife(NotifierStore.create(this.ctx.storage));
    const at = this.#take(this.#live.store, troubles);
    await this.#goOn(this.#live);
    return { at };
  }

  async heartbeat(): Promise<void> {
    if (this.#live !== undefined) await this.#goOn(this.#live);
  }

  override async alarm(): Promise<void> {
    if (this.#live !== undefined) await this.#goOn(this.#live);
  }

  #bringToLife(store: NotifierStore): Live {
    const onRest = () => this.ctx.waitUntil(this.#arm());
    return { store, courier: new Courier(store, () => this.#addresses(), onRest) };
  }

  #addresses(): Addresses {
    const { NOTIFICATIONS, PUBLIC_URL, faults } = readSettings(this.env);
    const isWhole = !faults.some(({ setting }) => setting === "NOTIFICATIONS");
    return { targets: NOTIFICATIONS, isWhole, publicUrl: PUBLIC_URL };
  }

  /** Takes a list that is newer than the last one of its partition; answers when the newest was made. */
  #take(store: NotifierStore, troubles: Troubles): number {
    return this.ctx.storage.transactionSync(() => {
      this.#syncTargets(store);
      const heardAt = store.heardAt(troubles.partition);
      if (troubles.at <= heardAt) return heardAt;
      const nowMs = Date.now();
      for (const target of this.#addresses().targets) {
        const before = store.incidents(target.name);
        const concerning = troubles.troubles.filter((trouble) => concerns(target, trouble));
        const told = { partition: troubles.partition, troubles: concerning };
        const { oldUntil = 0 } = store.target(target.name) ?? {};
        store.replaceIncidents(target.name, before, takeTroubles(before, told, oldUntil, nowMs));
      }
      store.hear(troubles.partition, troubles.at);
      return troubles.at;
    });
  }

  /** Tells what is due, has it sent, and sees to it that it goes on. The calls are not waited for: some never end well. */
  async #goOn({ store, courier }: Live): Promise<void> {
    try {
      this.ctx.storage.transactionSync(() => {
        this.#syncTargets(store);
        const wakeAt = this.#addresses().targets.flatMap((target) => tellDue(store, target) ?? []);
        this.#rulesAt = wakeAt.length === 0 ? undefined : Math.min(...wakeAt);
      });
      this.ctx.waitUntil(courier.send());
    } finally {
      await this.#arm();
    }
  }

  /** A new target gets nothing about earlier faults. Everything about a removed target is deleted. */
  #syncTargets(store: NotifierStore): void {
    const { targets, isWhole } = this.#addresses();
    const wanted = new Set(targets.map(({ name }) => name));
    const known = new Set(store.targets());
    if (isWhole) for (const name of known) if (!wanted.has(name)) store.removeTarget(name);
    const oldUntil = store.newestHeardAt();
    for (const name of wanted) if (!known.has(name)) store.putTarget(name, { oldUntil, failures: 0 });
  }

  /** Sets the alarm where it is absent, later than needed, or was not heeded. */
  async #arm(): Promise<void> {
    const alarm = await this.ctx.storage.getAlarm();
    // Only now: a call that ended meanwhile has set an earlier one, which is not to be set back.
    const times = [this.#rulesAt, this.#live?.courier.wakeAt()].filter((time) => time !== undefined);
    if (times.length === 0) return;
    const wakeAt = Math.max(Date.now() + 1, Math.min(...times));
    const isLost = alarm === null || Date.now() - alarm > OVERDUE_MS;
    if (isLost || alarm > wakeAt) await this.ctx.storage.setAlarm(wakeAt);
  }
}

/** Puts what is due into the target's queue; answers when to ask again, Unix ms. */
function tellDue(store: NotifierStore, target: NotificationTarget): number | undefined {
  const nowMs = Date.now();
  const before = store.incidents(target.name);
  const { changes, incidents, wakeAt } = dueChanges(before, timingOf(target), nowMs);
  store.replaceIncidents(target.name, before, incidents);
  const dropped = store.enqueue(target.name, messagesOf(target.name, changes, roomOf(target), nowMs));
  if (dropped > 0)
    console.error({ message: "too many notifications wait; the oldest go", target: target.name, dropped });
  return wakeAt;
}

function timingOf({ minDuration, groupWindow }: NotificationTarget): Timing {
  return { minDurationMs: minDuration, groupWindowMs: groupWindow };
}
