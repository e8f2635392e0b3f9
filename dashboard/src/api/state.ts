import type { Event } from "../../../shared/model/event.ts";
import type { LiveMessage, Overview, RecordSummary } from "../../../shared/model/overview.ts";

/** An event with the partition whose log holds it. Partition and id together identify it. */
export type PartitionEvent = Event & { partition: number };

/** The state of the stream of one partition. */
export interface Stream {
  open: boolean;
  /** Id of the newest known event without a gap before it. Absent before the first message. */
  lastEventId?: number;
  /** Whether this connection has delivered a message yet. The first one carries what was missed. */
  caughtUp?: boolean;
  /** When the last message came, Unix ms by the viewer's clock. */
  heardAt?: number;
  /** When it was last lost or failed to open, Unix ms by the viewer's clock. */
  closedAt?: number;
}

/** Why the overview could not be read. */
export interface Fault {
  status: number;
  message: string;
}

/** The state of the page. Never changed in place. */
export interface View {
  overview: Overview | undefined;
  /** When the last overview came, Unix ms by the viewer's clock. */
  readAt: number | undefined;
  /** Add this to the viewer's clock to get the edge's clock, ms. */
  skewMs: number;
  fault: Fault | undefined;
  needsLogin: boolean;
  /** By partition. */
  streams: ReadonlyMap<number, Stream>;
  /** The newest events of the streams, oldest first. */
  events: readonly PartitionEvent[];
  /** How often events were lost that no stream sends again. A timeline is read again when this changes. */
  missed: number;
  /** Records by host that the streams sent after the last overview; undefined if removed. */
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

/** Returns the state after an action. */
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
 * Whether to reconnect from the last known id, because events before this message are missing (ids rise by one). If
 * they are missing in a connection's first message too, the log has dropped them.
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
  // A log that ends before the last known id is a new log: the edge lost its storage.
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

/** The overview is the truth of its moment. Newer messages of the streams have priority. */
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

/** Records with equal content stay the same objects, so that only changed rows are drawn again. */
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
