import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { inject, vi } from "vitest";
import type { Trouble, TroubleKind } from "../../shared/model/trouble.ts";
import type { Env } from "../../workers/env.ts";
import { Notifier } from "../../workers/notifier/notifier.ts";
import type { Notified, NotifiedAnswer } from "../receivers/notified.ts";

const bindings = env as unknown as Env;

export const SECOND = 1_000;
export const MINUTE = 60_000;

/** A target as it is written in NOTIFICATIONS; its receiver has its name. */
export type Written = Record<string, unknown> & { name: string };

/** A notifier over the storage of a real object, with receivers that really listen and a clock that the test moves. */
export class Scene {
  readonly #state: DurableObjectState;
  readonly #suffix = crypto.randomUUID();
  readonly #under = new Set<Promise<unknown>>();
  #settings: Record<string, string> = {};
  #notifier: Notifier;

  constructor(state: DurableObjectState) {
    this.#state = state;
    const waitUntil = state.waitUntil.bind(state);
    state.waitUntil = (promise: Promise<unknown>) => {
      const over = promise.catch(() => {}).finally(() => this.#under.delete(over));
      this.#under.add(over);
      waitUntil(promise);
    };
    this.#notifier = this.#build();
  }

  /** Memory is lost, storage stays; the settings are others now. */
  configure(targets: Written[], more: Record<string, string> = {}): void {
    const written = targets.map((target) => ({ kind: "generic", url: this.urlOf(target.name), ...target }));
    this.#settings = { NOTIFICATIONS: JSON.stringify(written), ...more };
    this.restart();
  }

  /** What is under way goes on, as it does in an object that is evicted: its answer finds nobody. */
  restart(): void {
    this.#notifier = this.#build();
  }

  urlOf(name: string): string {
    return `${inject("receivers")}/notify/${name}-${this.#suffix}`;
  }

  /** A coordinator says what is wrong, `after` ms from the last time. */
  async tell(troubles: Trouble[], options: { partition?: number; after?: number; at?: number } = {}): Promise<number> {
    const { partition = 0, after = 1 } = options;
    vi.setSystemTime(Date.now() + after);
    const answer = await this.#notifier.troubles({ partition, at: options.at ?? Date.now(), troubles });
    await this.settle();
    return answer.at;
  }

  /** Moves the clock, and lets the alarm come where it is due, as often as that is so. */
  async pass(ms: number): Promise<void> {
    vi.setSystemTime(Date.now() + ms);
    for (;;) {
      const alarm = await this.alarm();
      if (alarm === null || alarm > Date.now()) return;
      await this.#state.storage.deleteAlarm();
      await this.#notifier.alarm();
      await this.settle();
    }
  }

  /** As cron does each minute. */
  async heartbeat(): Promise<void> {
    await this.#notifier.heartbeat();
    await this.settle();
  }

  async settle(): Promise<void> {
    while (this.#under.size > 0) await Promise.all(this.#under);
  }

  alarm(): Promise<number | null> {
    return this.#state.storage.getAlarm();
  }

  rows(): Record<string, number> {
    const { sql } = this.#state.storage;
    const tables = sql.exec<{ name: string }>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%\\_%' ESCAPE '\\'",
    );
    return Object.fromEntries(
      tables.toArray().map(({ name }) => [name, sql.exec<{ n: number }>(`SELECT COUNT(*) AS n FROM ${name}`).one().n]),
    );
  }

  storage(): DurableObjectStorage {
    return this.#state.storage;
  }

  async received(name: string): Promise<Notified[]> {
    return (await fetch(this.#controlOf(name))).json();
  }

  /** `Began record/a.example.com`, one list for each message. */
  async told(name: string): Promise<string[][]> {
    const bodies = (await this.received(name)).map(({ body }) => body as { changes: { type: string; key: string }[] });
    return bodies.map(({ changes }) => changes.map(({ type, key }) => `${type} ${key}`));
  }

  async answers(name: string, ...answers: NotifiedAnswer[]): Promise<void> {
    await fetch(this.#controlOf(name), { method: "PUT", body: JSON.stringify(answers) });
  }

  #controlOf(name: string): string {
    return this.urlOf(name).replace("/notify/", "/notified/");
  }

  #build(): Notifier {
    return new Notifier(this.#state, { ...bindings, ...this.#settings } as unknown as Env);
  }
}

/** Ahead of the real clock, so that no alarm comes but by the test. */
const AHEAD_MS = 86_400_000;

/** Runs a story with a notifier over storage of its own; the clock stands where the test puts it. */
export async function withNotifier(targets: Written[], story: (scene: Scene) => Promise<void>): Promise<void> {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + AHEAD_MS });
  try {
    await runInDurableObject(bindings.NOTIFIER.getByName(crypto.randomUUID()), async (_, state) => {
      const scene = new Scene(state);
      scene.configure(targets);
      await story(scene);
      await scene.settle();
      await state.storage.deleteAlarm();
    });
  } finally {
    vi.useRealTimers();
    vi.restoreAllMocks();
  }
}

/** An alert that begins now. */
export function trouble(key: string, change: Partial<Trouble> = {}): Trouble {
  return { key, kind: kindOf(key), since: Date.now(), summary: `${key} is out of order`, ...change };
}

function kindOf(key: string): TroubleKind {
  if (key.startsWith("region/")) return "RegionSilent";
  return key.startsWith("cluster/") ? "ClusterUnreachable" : "RecordDegraded";
}
