import { digest } from "../../shared/hash.ts";
import type { Log } from "../runtime/log.ts";
import { LogOnChange } from "../runtime/log-on-change.ts";
import type { KubeClient } from "./client.ts";
import { KubeError } from "./errors.ts";
import { EVENT } from "./kinds.ts";
import { FIELD_MANAGER, type KubeObject, refKey } from "./object.ts";

const MESSAGE_CHARS = 1024;
const NAME_CHARS = 230;
const BURST = 50;
const REFILL_MS = 1_000;
/** Repetitions are counted at once but written at this interval. */
const REPEAT_MS = 60_000;
const MOST_REMEMBERED = 1_000;

export interface EventContent {
  type: "Normal" | "Warning";
  /** One CamelCase word. */
  reason: string;
  message: string;
  /** Unix ms */
  at: number;
}

export interface EventRecorderOptions {
  client: Pick<KubeClient, "apply">;
  /** The replica that reports. */
  instance: string;
  log: Log;
  /** A monotonic clock, in milliseconds. */
  elapsedMs: () => number;
}

interface EventSeries {
  count: number;
  firstAt: number;
  writtenAt: number;
}

/**
 * Writes Kubernetes Events. They only inform people, so a failed write is logged and never an error for the caller.
 * After a burst of 50 at most one event a second is written.
 */
export class EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #noted: LogOnChange;
  readonly #remembered = new Map<string, EventSeries>();
  #tokens = BURST;
  #refilledAt: number;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#noted = new LogOnChange(options.log);
    this.#refilledAt = options.elapsedMs();
  }

  record(about: KubeObject, content: EventContent): void {
    const name = eventName(about, content);
    const now = this.#options.elapsedMs();
    const before = this.#remembered.get(name);
    const known = { count: (before?.count ?? 0) + 1, firstAt: before?.firstAt ?? content.at };
    const isDue = before === undefined || now - before.writtenAt >= REPEAT_MS;
    const isWritten = isDue && this.#spend(now);
    this.#remember(name, { ...known, writtenAt: isWritten ? now : (before?.writtenAt ?? Number.NEGATIVE_INFINITY) });
    if (!isWritten) return;
    const event = eventObject(name, about, content, { ...known, instance: this.#options.instance });
    this.#writing = this.#writing.then(() => this.#write(event));
  }

  /** Resolves when all recorded events are written or dropped. */
  flushed(): Promise<void> {
    return this.#writing;
  }

  async #write(event: KubeObject): Promise<void> {
    try {
      await this.#options.client.apply(EVENT, event, { fieldManager: FIELD_MANAGER });
      this.#noted.note("write", undefined, "Events can be written again");
    } catch (error) {
      if (error instanceof KubeError && error.isNamespaceEnding) return;
      this.#noted.note("write", `An event could not be written: ${(error as Error).message}`);
    }
  }

  #spend(now: number): boolean {
    const refill = Math.floor((now - this.#refilledAt) / REFILL_MS);
    this.#tokens = Math.min(BURST, this.#tokens + refill);
    this.#refilledAt += refill * REFILL_MS;
    const isFree = this.#tokens > 0;
    const message = "Too many events: those of the next seconds are left out";
    this.#noted.note("rate", isFree ? undefined : message, "Events are written again");
    if (isFree) this.#tokens -= 1;
    return isFree;
  }

  #remember(name: string, remembered: EventSeries): void {
    this.#remembered.delete(name);
    this.#remembered.set(name, remembered);
    const [oldest] = this.#remembered.keys();
    if (this.#remembered.size > MOST_REMEMBERED && oldest !== undefined) this.#remembered.delete(oldest);
  }
}

/** The name depends on object and content, so that a repetition updates the same Event. */
function eventName({ kind, metadata }: KubeObject, { type, reason, message }: EventContent): string {
  const hash = digest(JSON.stringify([kind, refKey(metadata), metadata.uid, type, reason, message]));
  return `${metadata.name.slice(0, NAME_CHARS).replace(/[^a-z0-9]+$/, "")}.${hash}`;
}

function eventObject(
  name: string,
  about: KubeObject,
  { type, reason, message, at }: EventContent,
  { count, firstAt, instance }: { count: number; firstAt: number; instance: string },
): KubeObject {
  const { namespace = "default", name: aboutName, uid, resourceVersion } = about.metadata;
  const { apiVersion, kind } = about;
  return {
    apiVersion: EVENT.apiVersion,
    kind: EVENT.kind,
    metadata: { name, namespace },
    ...{
      involvedObject: {
        apiVersion,
        kind,
        name: aboutName,
        ...(about.metadata.namespace === undefined ? {} : { namespace }),
        ...(uid === undefined ? {} : { uid }),
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
      },
      type,
      reason,
      message: message.slice(0, MESSAGE_CHARS),
      count,
      firstTimestamp: rfc3339(firstAt),
      lastTimestamp: rfc3339(at),
      source: { component: FIELD_MANAGER },
      reportingComponent: FIELD_MANAGER,
      reportingInstance: instance,
    },
  };
}

/** The API server returns such times without fractions of a second. */
const rfc3339 = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`;
