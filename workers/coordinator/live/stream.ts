import type { Event } from "../../../shared/model/event.ts";
import type { LiveMessage, RecordSummary } from "../../../shared/model/overview.ts";
import { errorMessage } from "../../retry.ts";
import type { Sockets } from "./sockets.ts";
/**
 * Limit of connections for one partition. Each socket gets every message, and the object also has to process reports.
 * A new connection is refused rather than dropping an open one; the page then polls the overview.
 */
export const MAX_SOCKETS = 500;

/** The source of the stream. */
export interface LiveSource {
  readonly partition: number;
  now(): number;
  /** Summaries of the present records; `removed` are the records that no longer exist. */
  summaries(rootHosts: Iterable<string>): { records: RecordSummary[]; removed: string[] };
  /** Id of the newest event; 0 if there is none. */
  lastEventId(): number;
  /** At most one page of events after the id, oldest first. */
  listEvents(after: number): Event[];
}

/**
 * Sends changed records and events to the open sockets, in one message for all changes within a tick. Without
 * sockets, nothing is computed. Memory holds only what the attachments of the sockets can restore, since the object
 * may sleep between any two messages.
 */
export class LiveStream {
  readonly #sockets: Sockets;
  readonly #source: LiveSource;
  readonly #later: (work: () => void) => void;
  #changed = new Set<string>();
  #isDue = false;
  /** The last event that every socket has; undefined if unknown. */
  #toldTo: number | undefined;

  /** `later` runs work a tick from now. */
  constructor(sockets: Sockets, source: LiveSource, later: (work: () => void) => void) {
    this.#sockets = sockets;
    this.#source = source;
    this.#later = later;
  }

  /**
   * Opens a stream that begins with the events after the id, or with the present if there is none. Returns undefined
   * if too many are open. An id above all event ids is from a lost log: the stream then begins with the first event.
   */
  open(after: number | undefined): WebSocket | undefined {
    const nowMs = this.#source.now();
    if (this.#sockets.count >= MAX_SOCKETS) this.#sockets.dropStale(nowMs);
    if (this.#sockets.count >= MAX_SOCKETS) return undefined;
    const last = this.#source.lastEventId();
    const from = after === undefined ? last : after > last ? 0 : after;
    const { client, socket } = this.#sockets.accept(from, nowMs);
    this.#send([socket], from, { records: [], removed: [] });
    return client;
  }

  /** A call is over that may have changed these records or added events. Never throws: the call stays valid. */
  changed(rootHosts: Iterable<string>): void {
    try {
      this.#note(rootHosts);
    } catch (error) {
      logStreamFailure(error);
    }
  }

  #note(rootHosts: Iterable<string>): void {
    if (this.#sockets.count === 0) {
      this.#changed.clear();
      this.#toldTo = undefined;
      return;
    }
    for (const rootHost of rootHosts) this.#changed.add(rootHost);
    if (this.#isDue || (this.#changed.size === 0 && this.#toldTo === this.#source.lastEventId())) return;
    this.#isDue = true;
    this.#later(() => this.#tell());
  }

  #tell(): void {
    this.#isDue = false;
    const rootHosts = this.#changed;
    this.#changed = new Set();
    if (this.#sockets.count === 0) return;
    this.#sockets.dropStale(this.#source.now());
    const changed = this.#source.summaries(rootHosts);
    const lastEventId = this.#source.lastEventId();
    for (const [after, sockets] of this.#sockets.byLastEvent()) {
      if (rootHosts.size > 0 || after < lastEventId) this.#send(sockets, after, changed);
    }
    this.#toldTo = lastEventId;
  }

  /** Sends everything after the event `after` to these sockets. */
  #send(sockets: readonly WebSocket[], after: number, changed: ReturnType<LiveSource["summaries"]>): void {
    const { partition } = this.#source;
    const lastEventId = this.#source.lastEventId();
    const news = { at: this.#source.now(), partition, ...changed, events: this.#eventsAfter(after), lastEventId };
    const messages = messagesOf(news).map((message) => JSON.stringify(message));
    for (const socket of sockets) this.#sockets.send(socket, messages, lastEventId);
  }

  /** The events in pages. The log is bounded, and so is their number. */
  #eventsAfter(after: number): Event[][] {
    const pages: Event[][] = [];
    for (let from = after; ; ) {
      const page = this.#source.listEvents(from);
      const last = page.at(-1);
      if (last === undefined) return pages;
      pages.push(page);
      from = last.id;
    }
  }
}

/** The client repairs this with the overview that it requests regularly. */
export function logStreamFailure(error: unknown): void {
  console.error({ message: "cannot send changes to the live stream", error: errorMessage(error) });
}

/** Limit of records in one message: all records of a large fleet may change at once. */
const MAX_RECORDS = 500;

export interface LiveChanges {
  at: number;
  partition: number;
  records: readonly RecordSummary[];
  removed: readonly string[];
  /** Pages of events, the oldest first; empty if nothing has happened. */
  events: readonly (readonly Event[])[];
  lastEventId: number;
}

/** The messages for these changes, in order; at least one. Each names the last event up to which it is complete. */
export function messagesOf({ at, partition, records, removed, events, lastEventId }: LiveChanges): LiveMessage[] {
  const recordPages = Math.ceil(records.length / MAX_RECORDS);
  const count = Math.max(1, recordPages, events.length);
  return Array.from({ length: count }, (_, index) => ({
    at,
    partition,
    records: records.slice(index * MAX_RECORDS, (index + 1) * MAX_RECORDS),
    removed: index === 0 ? [...removed] : [],
    events: [...(events[index] ?? [])],
    lastEventId: index >= events.length - 1 ? lastEventId : (events[index]?.at(-1)?.id ?? lastEventId),
  }));
}
