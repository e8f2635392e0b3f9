import { randomUUID } from "node:crypto";
import { encodeSnapshot } from "../../shared/snapshot.ts";
import type { Controller } from "../controller.ts";
import { digestOf, type RecordAnswer } from "../plan/accepted-specs.ts";
import type { Log } from "../runtime/log.ts";
import { LogOnChange } from "../runtime/log-on-change.ts";
import type { Settings } from "../runtime/settings-schema.ts";
import { EdgeClient, type PushResult, type Receipt } from "./client.ts";
import { Puller } from "./puller.ts";
import { Pusher } from "./pusher.ts";
import { snapshotRecords } from "./snapshot.ts";

const REPEAT_MS = 60_000;
/** The answers to calls are contact too: so many of them can be lost before the edge counts as silent. */
const CALLS_BEFORE_SILENCE = 3;

export interface EdgeConnectionOptions {
  settings: Settings;
  core: () => Controller;
  reread: () => Promise<void>;
  /** The edge accepted a snapshot with exactly the records of these keys. */
  onSnapshotTaken?: (keys: ReadonlySet<string>) => void;
  /** A snapshot of so many records was pushed. */
  onPushed?: (result: PushResult["kind"], records: number) => void;
  log: Log;
  /** Unix ms */
  now: () => number;
}

/** Everything that the agent calls the edge for: snapshots, and deliveries where it asks for them. */
export class EdgeConnection {
  readonly #core: () => Controller;
  readonly #noted: LogOnChange;
  readonly #client: EdgeClient;
  readonly #pusher: Pusher;
  readonly #puller: Puller | undefined;
  readonly #instance = randomUUID();
  readonly #onSnapshotTaken: ((keys: ReadonlySet<string>) => void) | undefined;
  #pushed: { key: string; digest: string }[] = [];

  constructor({ settings, core, reread, onSnapshotTaken, onPushed, log, now }: EdgeConnectionOptions) {
    this.#core = core;
    this.#onSnapshotTaken = onSnapshotTaken;
    this.#noted = new LogOnChange(log);
    const { edgeUrl, cluster, secret: secrets } = settings;
    const client = new EdgeClient({ edgeUrl, cluster, secrets, now });
    this.#client = client;
    this.#pusher = new Pusher({
      windowMs: settings.reconfigMaxDelayMs,
      repeatMs: Math.min(REPEAT_MS, settings.edgeStaleAfterMs / CALLS_BEFORE_SILENCE),
      push: async (text, ifMatch) => {
        const result = await client.push(text, ifMatch);
        onPushed?.(result.kind, this.#pushed.length);
        return result;
      },
      encode: () => this.#encode(),
      reread,
      onTaken: (receipt) => this.#taken(receipt),
      onFailed: (message) => this.#failed("push", `The edge did not take the snapshot, trying again: ${message}`),
      random: Math.random,
    });
    if (settings.pull)
      this.#puller = this.#makePuller(
        Math.min(settings.pullIntervalMs, settings.edgeStaleAfterMs / CALLS_BEFORE_SILENCE),
      );
  }

  /** To be called once all records have been read. */
  start(): void {
    this.#pusher.start();
    this.#puller?.start();
  }

  /** The edge was heard of. */
  heard(): void {
    this.#pusher.heard();
  }

  snapshotChanged(): void {
    this.#pusher.changed();
  }

  /** What the edge sees just now of the records, only to be shown; undefined where it does not say. */
  async readView(): Promise<unknown> {
    const result = await this.#client.readRecords();
    if (result.kind === "View") {
      this.#noted.note("view", undefined, "The edge says again what it sees");
      return result.view;
    }
    this.#failed("view", `The edge did not say what it sees, asking again: ${result.message}`);
    return undefined;
  }

  async stop(): Promise<void> {
    this.#client.close();
    await Promise.all([this.#pusher.stop(), this.#puller?.stop()]);
  }

  #makePuller(intervalMs: number): Puller {
    return new Puller({
      intervalMs,
      pull: () => this.#client.pull(this.#core().held),
      onDelivery: async (delivery) => {
        this.#noted.note("pull", undefined, "The edge gives deliveries again");
        await this.#core().takeDelivery(delivery);
      },
      onFailed: (message) => this.#failed("pull", `The edge gave no delivery, asking again: ${message}`),
      random: Math.random,
    });
  }

  #failed(subject: string, message: string): void {
    this.#noted.note(subject, message);
  }

  #encode(): string {
    const core = this.#core();
    const { records } = core.source;
    this.#pushed = records.map(({ key, specInput }) => ({ key, digest: digestOf(specInput) }));
    const header = { clusterUid: core.state.clusterUid, instance: this.#instance };
    return encodeSnapshot(header, snapshotRecords(records, core.state.hosts));
  }

  /** Lines are counted from the header, which is line 1. */
  async #taken({ records, conditions = [], delivery }: Receipt): Promise<void> {
    this.#noted.note("push", undefined, "The edge took the snapshot");
    this.#noted.noteAll(
      "cluster",
      conditions
        .filter(({ status }) => status === "True")
        .map(({ reason, message }) => `The edge says ${reason}: ${message}`),
    );
    const answers = records.flatMap(({ line, conditions: said }): RecordAnswer[] => {
      const pushed = this.#pushed[line - 2];
      const condition = said.find(({ type }) => type === "Accepted");
      return pushed && condition ? [{ ...pushed, condition }] : [];
    });
    const keys = new Set(this.#pushed.map(({ key }) => key));
    await this.#core().takeAnswers(answers);
    if (delivery !== undefined) await this.#core().takeDelivery(delivery);
    this.#onSnapshotTaken?.(keys);
  }
}
