import type { Event } from "../../../shared/model/event.ts";
import type { LiveMessage, RecordSummary } from "../../../shared/model/overview.ts";
import { errorMessage } from "../../retry.ts";
import type { Sockets } from "./sockets.ts";
/**
 * Each socket gets every message, while the object has verdicts to find: so many can watch one partition, and the next one is
 * refused rather than one that watches already dropped. A page that is refused asks for the overview again and again instead.
 */
export const MAX_SOCKETS = 500;

/** What the stream tells of. */
export interface LiveSource {
  readonly partition: number;
  now(): number;
  /** The records as they are now; `removed` are those that there are no more. */
  summaries(rootHosts: Iterable<string>): { records: RecordSummary[]; removed: string[] };
  /** Of the newest event, 0 while there is none. */
  lastEventId(): number;
  /** At most one page of events after the id, oldest first. */
  listEvents(after: number): Event[];
}

/**
 * Tells those who watch what changes, whole records and events, in one message for all that happens within a tick. While
 * nobody watches nothing is computed. Memory holds nothing that a socket's own attachment does not make up for: the object
 * may sleep between any two messages.
 */
export class LiveStream {
  readonly #sockets: Sockets;
  readonly #source: LiveSource;
  readonly #later: (work: () => void) => void;
  #changed = new Set<string>();
  #isDue = false;
  /** The event that every socket has, where that is known. */
  #toldTo: number | undefined;

  /** `later` runs work a tick from now. */
  constructor(sockets: Sockets, source: LiveSource, later: (work: () => void) => void) {
    this.#sockets = sockets;
    this.#source = source;
    this.#later = later;
  }

  /**
   * Opens a stream that begins with the events after the id, or with what happens from now on; undefined where too many are
   * open. An id above all there are is of a log that was lost: then it begins with the first there is.
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

  /** A call is over that has changed how these records look, or may have added events. Never throws: the call holds. */
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

  /** All that these sockets, which have the events up to `after`, lack now. */
  #send(sockets: readonly WebSocket[], after: number, changed: ReturnType<LiveSource["summaries"]>): void {
    const { partition } = this.#source;
    const lastEventId = this.#source.lastEventId();
    const news = { at: this.#source.now(), partition, ...changed, events: this.#eventsAfter(after), lastEventId };
    const messages = messagesOf(news).map((message) => JSON.stringify(message));
    for (const socket of sockets) this.#sockets.send(socket, messages, lastEventId);
  }

  /** In pages; the log is bounded, and so are they. */
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

/** The overview that each client asks for now and then makes up for it. */
export function logStreamFailure(error: unknown): void {
  console.error({ message: "those who watch could not be told of changes", error: errorMessage(error) });
}

/** A message holds no more records than this: all of a large fleet may change at once. */
const MAX_RECORDS = 500;

export interface LiveChanges {
  at: number;
  partition: number;
  records: readonly RecordSummary[];
  removed: readonly string[];
  /** Pages of events, the oldest first; none where nothing has happened. */
  events: readonly (readonly Event[])[];
  lastEventId: number;
}

/** The messages that tell the news, one at least, in their order; each says up to which event it goes. */
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
