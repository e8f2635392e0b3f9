import type { Event } from "../../../shared/model/event.ts";
import type { LiveMessage, Overview, RecordSummary } from "../../../shared/model/overview.ts";

/** An event with the partition whose log it is in: together with its id, that names it. */
export type PartitionEvent = Event & { partition: number };

/** A stream of one partition, as far as it was followed. */
export interface Stream {
  open: boolean;
  /** Of the newest event that is known, with nothing missing before it; absent before the first word. */
  lastEventId?: number;
  /** Whether this connection has told anything yet: its first message makes up for what was missed. */
  caughtUp?: boolean;
  /** When it last gave word, by the clock of the viewer. Unix ms. */
  heardAt?: number;
  /** When it was last lost, or could not be opened, by the clock of the viewer. Unix ms. */
  closedAt?: number;
}

/** Why the overview could not be read. */
export interface Fault {
  status: number;
  message: string;
}

/** All that the page knows. Never changed in place. */
export interface View {
  overview: Overview | undefined;
  /** When the overview was last answered, by the clock of the viewer. Unix ms. */
  readAt: number | undefined;
  /** What to add to the viewer's clock to have that of the edge. */
  skewMs: number;
  fault: Fault | undefined;
  needsLogin: boolean;
  /** By partition. */
  streams: ReadonlyMap<number, Stream>;
  /** The newest of what the streams told, oldest first. */
  events: readonly PartitionEvent[];
  /** How often events were lost that no stream can give again: whoever shows a timeline reads it anew. */
  missed: number;
  /** Records by host as the streams last told them, newer than the overview that was last read; undefined where removed. */
  told: ReadonlyMap<string, { at: number; record: RecordSummary | undefined }>;
}

export type Action =
  | { type: "Opened" | "Heard" | "Closed"; partition: number; now: number }
  | { type: "Told"; message: LiveMessage; now: number }
  | { type: "Read"; overview: Overview; now: number }
  | { type: "ReadFailed"; fault: Fault }
  | { type: "LoggedIn" };

export const EVENTS_KEPT = 1_000;

export const START: View = {
  overview: undefined,
  readAt: undefined,
  skewMs: 0,
  fault: undefined,
  needsLogin: false,
  streams: new Map(),
  events: [],
  missed: 0,
  told: new Map(),
};

/** What the page knows after something has happened. */
export function reduce(view: View, action: Action): View {
  switch (action.type) {
    case "Opened":
      return withStream(view, action.partition, { open: true, caughtUp: false, heardAt: action.now });
    case "Heard":
      return withStream(view, action.partition, { heardAt: action.now });
    case "Closed":
      return withStream(view, action.partition, { open: false, closedAt: action.now });
    case "Told":
      return told(view, action.message, action.now);
    case "Read":
      return read(view, action.overview, action.now);
    case "ReadFailed":
      return { ...view, fault: action.fault, needsLogin: action.fault.status === 401 };
    case "LoggedIn":
      return START;
  }
}

/**
 * Whether to connect again with the last id that is known: the events between that and this message are not there (ids rise
 * by one). Where they are not in the first message of a connection either, the log has dropped them.
 */
export function needsReplay(stream: Stream | undefined, message: LiveMessage): boolean {
  return stream?.caughtUp === true && hasGap(stream, message);
}

function hasGap(stream: Stream | undefined, { events, lastEventId }: LiveMessage): boolean {
  const known = stream?.lastEventId;
  return known !== undefined && (events[0]?.id ?? lastEventId + 1) > known + 1;
}

function withStream(view: View, partition: number, change: Partial<Stream>): View {
  const stream = { open: false, ...view.streams.get(partition), ...change };
  return { ...view, streams: new Map(view.streams).set(partition, stream) };
}

function told(view: View, message: LiveMessage, now: number): View {
  const { partition, events, lastEventId } = message;
  const before = view.streams.get(partition);
  const withRecords = { ...view, ...toldRecords(view, message) };
  if (needsReplay(before, message)) return withStream(withRecords, partition, { heardAt: now });
  const known = before?.lastEventId ?? 0;
  // A log that ends before what is known of it is another one, after a loss of storage.
  const fresh = lastEventId < known ? events : events.filter(({ id }) => id > known);
  const stream = { heardAt: now, caughtUp: true, lastEventId: events.at(-1)?.id ?? lastEventId };
  return {
    ...withStream(withRecords, partition, stream),
    events: fresh.length === 0 ? view.events : newest([...view.events, ...fresh.map((one) => ({ ...one, partition }))]),
    missed: view.missed + (hasGap(before, message) ? 1 : 0),
  };
}

function toldRecords(view: View, { at, removed, records }: LiveMessage): Pick<View, "told" | "overview"> {
  const changes = [
    ...removed.map((host) => [host, undefined] as const),
    ...records.map((record) => [record.rootHost, record] as const),
  ];
  if (changes.length === 0) return view;
  const latest = new Map(view.told);
  for (const [host, record] of changes) {
    if ((latest.get(host)?.at ?? 0) <= at) latest.set(host, { at, record });
  }
  return {
    told: latest,
    overview: view.overview && overlaid(view.overview, latest, new Set(changes.map(([host]) => host))),
  };
}

/** The overview is the truth of its moment; what the streams told after it stays on top of it. */
function read(view: View, overview: Overview, now: number): View {
  const newer = new Map([...view.told].filter(([, { at }]) => at >= overview.at));
  const same = { ...overview, records: keptWhereEqual(view.overview?.records ?? [], overview.records) };
  return {
    ...view,
    overview: overlaid(same, newer, new Set(newer.keys())),
    told: newer,
    readAt: now,
    skewMs: overview.at - now,
    fault: undefined,
    needsLogin: false,
  };
}

/** Records that say the same stay the same objects: only the rows of those that changed are drawn again. */
function keptWhereEqual(before: readonly RecordSummary[], after: RecordSummary[]): RecordSummary[] {
  const known = new Map(before.map((record) => [record.rootHost, record]));
  return after.map((record) => {
    const old = known.get(record.rootHost);
    return old !== undefined && JSON.stringify(old) === JSON.stringify(record) ? old : record;
  });
}

function overlaid(overview: Overview, told: View["told"], hosts: ReadonlySet<string>): Overview {
  if (hosts.size === 0) return overview;
  const others = overview.records.filter(({ rootHost }) => !hosts.has(rootHost));
  const changed = [...hosts].map((host) => told.get(host)?.record).filter((record) => record !== undefined);
  const records = [...others, ...changed].sort((a, b) => (a.rootHost < b.rootHost ? -1 : 1));
  return { ...overview, records };
}

function newest(events: PartitionEvent[]): PartitionEvent[] {
  return events.sort((a, b) => a.at - b.at || a.partition - b.partition || a.id - b.id).slice(-EVENTS_KEPT);
}
