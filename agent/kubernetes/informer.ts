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

/** A watch that lived this long is no sign of a hot loop. */
const STABLE_MS = 5_000;
/** The back-off stops growing after this many failures, at 8 to 16 s. */
const MOST_FAILURES = 5;
const FAILURES_BEFORE_LIST = 3;
const WATCH_SECONDS = { least: 300, spread: 300 };
const READINGS_BEFORE_GONE = 2;

/**
 * Caches the objects of a kind and reports changes. Only the API server removes an object. While it cannot be read, the
 * objects stay as they were and `lastError` says why.
 *
 * client-node's ListWatch does not serve: it ends at the first error, reads no pages, lets an older object overwrite a
 * newer one and ignores bookmarks. Its Watch skips lines that it cannot parse.
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

  /** Resolves when all calls have ended. No `onChange` follows. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /**
   * Whether all objects have been read once. A kind that the cluster does not serve has no objects and counts as read.
   */
  get isSynced(): boolean {
    return this.#isSynced;
  }

  /** Whether the cluster does not serve the kind, since its CRD is not installed. */
  get isUnknown(): boolean {
    return this.#isUnknown;
  }

  /** Why the objects may be out of date; undefined if they are not. */
  get lastError(): string | undefined {
    return this.#trouble;
  }

  list(): readonly KubeObject[] {
    return this.#cache.list();
  }

  get(ref: ObjectRef): KubeObject | undefined {
    return this.#cache.get(ref);
  }

  /** Stores the answer of an own write if it is newer than the cached object. The informer must select the object. */
  put(object: KubeObject): void {
    this.#tell(this.#cache.put(object));
  }

  /**
   * Reads all objects again at once, so that the cache is not older than the call. An unknown kind stays as it is.
   *
   * @throws KubeError if it cannot be read
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

  /** Does a list if it is due, and one watch. Returns the delay until the next step, in milliseconds. */
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

  /** @returns whether the cluster serves the kind */
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
   * The cluster does not serve the kind. If objects are cached, one such reading is not enough. A CRD that is being
   * replaced and an API server that has just started look the same. The objects that would be lost are in DNS. A CRD
   * that was deleted is still missing at the second reading.
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

  /**
   * The objects stay after any failure. A broken watch continues where it ended, unless the API server cannot do that.
   */
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
