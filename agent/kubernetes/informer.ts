import { backoffMs } from "../runtime/backoff.ts";
import { LogOnChange } from "../runtime/log-on-change.ts";
import { sleep } from "./abort.ts";
import { type Change, ObjectCache } from "./cache.ts";
import type { Selection } from "./client.ts";
import { KubeError } from "./errors.ts";
import { INFORMER_DEFAULTS, type InformerOptions } from "./informer-options.ts";
import { isMissing, isServed } from "./kinds.ts";
import type { KubeObject, ObjectRef } from "./object.ts";
import { watchOnce } from "./watch.ts";

export type { InformerOptions };

/** A watch that lived so long was none of a hot loop. */
const STABLE_MS = 5_000;
/** The wait between failures stops growing here, at 8 to 16 s. */
const MOST_FAILURES = 5;
const FAILURES_BEFORE_LIST = 3;
const WATCH_SECONDS = { least: 300, spread: 300 };
const READINGS_BEFORE_GONE = 2;

/**
 * Holds the objects of a kind as last read, and says what changes. Nothing but the API server's own word takes an object
 * away: while it cannot be read, all stays as it was, and `trouble` says why.
 *
 * client-node's ListWatch is not used: it ends at the first error, reads no pages, lets an older object overwrite a newer one
 * and knows no bookmarks; its Watch skips lines that it cannot read.
 */
export class Informer {
  readonly #options: Required<Omit<InformerOptions, keyof Selection>> & Selection;
  readonly #noted: LogOnChange;
  readonly #cache = new ObjectCache();
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #isSynced = false;
  #isUnknown = false;
  #trouble: string | undefined;
  #failures = 0;
  #mustList = true;
  #listedAt = 0;
  #readingsWithout = 0;

  constructor(options: InformerOptions) {
    this.#options = { ...INFORMER_DEFAULTS, ...options };
    this.#noted = new LogOnChange(options.log);
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Resolves when nothing more is under way: no `onChange` comes after it. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** Whether all has been read once. A kind that the cluster does not know has no objects, and counts as read. */
  get isSynced(): boolean {
    return this.#isSynced;
  }

  /** Whether the cluster does not know the kind: its CRD is not installed. */
  get isUnknown(): boolean {
    return this.#isUnknown;
  }

  /** Why the objects may be out of date, in words; undefined while all is well. */
  get lastError(): string | undefined {
    return this.#trouble;
  }

  list(): readonly KubeObject[] {
    return this.#cache.list();
  }

  get(ref: ObjectRef): KubeObject | undefined {
    return this.#cache.get(ref);
  }

  /** Takes the answer of an own write, if it is newer than what is held. The object must be one that the informer selects. */
  put(object: KubeObject): void {
    this.#tell(this.#cache.put(object));
  }

  /**
   * Reads all anew at once: what is held then is not older than the call. A kind that the cluster does not know stays as it is.
   *
   * @throws KubeError where it cannot be read
   */
  async refresh(): Promise<void> {
    await this.#read().catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    });
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const waitMs = await this.#step().catch((error: unknown) => this.#failed(error));
      if (waitMs > 0) await sleep(waitMs, signal);
    }
  }

  /** One list, if it is time for it, and one watch. Returns for how long to wait then, in milliseconds. */
  async #step(): Promise<number> {
    const { elapsedMs, resyncMs } = this.#options;
    if (this.#mustList || elapsedMs() - this.#listedAt >= resyncMs) {
      const isServedNow = await this.#list();
      if (!isServedNow) return this.#options.unknownRetryMs * (0.75 + this.#options.random() / 2);
    }
    if (this.#stopping.signal.aborted) return 0;
    const openedAt = elapsedMs();
    await this.#watch();
    if (elapsedMs() - openedAt >= STABLE_MS) return 0;
    this.#failures += 1;
    return this.#backoffMs();
  }

  /** @returns whether the cluster knows the kind */
  async #list(): Promise<boolean> {
    const { client, kind } = this.#options;
    try {
      await this.#read();
      return true;
    } catch (error) {
      if (!isMissing(error) || (await isServed(client, kind))) throw error;
      this.#missing();
      return false;
    }
  }

  async #read(): Promise<void> {
    const { client, kind, elapsedMs } = this.#options;
    const newestBefore = this.#cache.newestVersion;
    const startedAt = elapsedMs();
    const { items, resourceVersion } = await client.list(kind, { ...this.#selection, signal: this.#stopping.signal });
    if (this.#stopping.signal.aborted) return;
    this.#listedAt = startedAt;
    this.#mustList = false;
    this.#readingsWithout = 0;
    this.#synced(false, this.#cache.replaceAll(items, resourceVersion, newestBefore));
  }

  /**
   * The cluster does not know the kind (any more). Where objects are held, one such reading is not enough: a CRD that is
   * replaced, or an API server that has just started, says the same for a moment, and the objects that it would cost are in
   * DNS. A CRD that was deleted takes its objects with it and stays away: the second reading finds that too.
   */
  #missing(): void {
    const { kind, unknownRetryMs } = this.#options;
    this.#mustList = true;
    this.#readingsWithout += 1;
    if (this.#cache.list().length > 0 && this.#readingsWithout < READINGS_BEFORE_GONE) {
      this.#say(`The cluster does not know ${kind.plural} any more: asking again in ${unknownRetryMs / 1000} s`);
      return;
    }
    this.#failures = 0;
    this.#say(undefined);
    this.#synced(true, this.#cache.clear());
  }

  #watch(): Promise<void> {
    const { client, kind, quietMs, resyncMs, elapsedMs, random } = this.#options;
    const leftMs = Math.max(1_000, this.#listedAt + resyncMs - elapsedMs());
    return watchOnce({
      ...this.#selection,
      client,
      kind,
      resourceVersion: this.#cache.resourceVersion ?? "",
      timeoutSeconds: Math.ceil(Math.min(leftMs / 1000, WATCH_SECONDS.least + random() * WATCH_SECONDS.spread)),
      signal: this.#stopping.signal,
      quietMs,
      stableMs: STABLE_MS,
      onStable: () => this.#isWell(),
      onEvent: (event) => {
        this.#tell(this.#cache.applyEvent(event));
        this.#say(undefined);
      },
    });
  }

  /** Whatever failed: the objects stay. A watch that broke goes on from where it was, unless the API server cannot. */
  #failed(error: unknown): number {
    if (this.#stopping.signal.aborted) return 0;
    this.#failures += 1;
    const { code = 0, reason, retryAfterMs = 0 } = error instanceof KubeError ? error : {};
    const isPassing = (code === 0 && reason !== "NotAWatch") || code === 429 || code >= 500;
    if (!isPassing || this.#failures >= FAILURES_BEFORE_LIST) this.#mustList = true;
    const isOrdinary = code === 410 || (code === 0 && reason !== "NotAWatch");
    if (!isOrdinary || this.#failures > 1) this.#say((error as Error).message);
    return Math.max(this.#backoffMs(), retryAfterMs);
  }

  #backoffMs(): number {
    return backoffMs(Math.min(this.#failures, MOST_FAILURES), this.#options.random());
  }

  #isWell(): void {
    this.#failures = 0;
    this.#say(undefined);
  }

  #say(trouble: string | undefined): void {
    const { plural } = this.#options.kind;
    this.#trouble = trouble;
    const message = trouble && `The ${plural} of the cluster cannot be read, the last known ones stay: ${trouble}`;
    this.#noted.note("trouble", message, `The ${plural} of the cluster are read again`);
  }

  #synced(isUnknown: boolean, changes: readonly Change[]): void {
    const hasChanged = !this.#isSynced || this.#isUnknown !== isUnknown;
    this.#isSynced = true;
    this.#isUnknown = isUnknown;
    this.#tell(changes);
    if (hasChanged) this.#guard(() => this.#options.onStateChange());
  }

  #tell(changes: readonly Change[]): void {
    for (const { before, after } of changes) this.#guard(() => this.#options.onChange(before, after));
  }

  #guard(callback: () => void): void {
    try {
      callback();
    } catch (error) {
      this.#options.log("warn", `Unexpected, on a change of ${this.#options.kind.plural}: ${(error as Error).message}`);
    }
  }

  get #selection(): Selection {
    const { namespace, labelSelector, fieldSelector } = this.#options;
    return { namespace, labelSelector, fieldSelector };
  }
}
