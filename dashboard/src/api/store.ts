import { useEffect, useReducer, useRef } from "preact/hooks";
import type { Overview } from "../../../shared/model/overview.ts";
import { asApiError, getJson } from "./client.ts";
import { isPolled } from "./connection.ts";
import { LiveStream } from "./live.ts";
import { type Action, needsReplay, reduce, START, type View } from "./state.ts";

const READ_EVERY_MS = 30_000;
const POLL_EVERY_MS = 5_000;

let view = START;
const listeners = new Set<() => void>();
const streams = new Map<number, LiveStream>();
let reading: Promise<void> | undefined;
let readAgain = false;
let timer: ReturnType<typeof setTimeout> | undefined;

/**
 * A part of what the page knows, kept up to date: the component is drawn again when what `select` gives is another value
 * (by identity), so it should pick from the view rather than build.
 */
export function useView<Part>(select: (view: View) => Part): Part {
  const [, draw] = useReducer((count: number) => count + 1, 0);
  const part = select(view);
  const drawn = useRef({ part, select });
  drawn.current = { part, select };
  useEffect(() => {
    const look = () => {
      if (drawn.current.select(view) !== drawn.current.part) draw(undefined);
    };
    listeners.add(look);
    look();
    return () => void listeners.delete(look);
  }, []);
  return part;
}

/** The moment by the edge's clock, Unix ms, for what is drawn once. */
export const edgeNow = (): number => Date.now() + view.skewMs;

/** Begins to follow the edge; once, at the start of the page. */
export function follow(): void {
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) wake();
  });
  addEventListener("online", wake);
  void readOverview();
}

/** After a login or its end: forgets all, and asks again as whom the edge now sees. */
export function startOver(): Promise<void> {
  stopStreams();
  happen({ type: "LoggedIn" });
  return readOverview();
}

/** Reads the overview now. While one is being read, another follows it, since the first may be older than the question. */
export function readOverview(): Promise<void> {
  readAgain = reading !== undefined;
  reading ??= readUntilFresh().finally(() => {
    reading = undefined;
    readLater();
  });
  return reading;
}

async function readUntilFresh(): Promise<void> {
  do {
    readAgain = false;
    await readOnce();
  } while (readAgain);
}

async function readOnce(): Promise<void> {
  try {
    happen({ type: "Read", overview: await getJson<Overview>("/v1/overview"), now: Date.now() });
    followStreams();
  } catch (error) {
    const { status, message } = asApiError(error);
    // The session has ended: streams would be refused, again and again.
    if (status === 401) stopStreams();
    happen({ type: "ReadFailed", fault: { status, message } });
  }
}

function readLater(): void {
  clearTimeout(timer);
  const delayMs = isPolled(view) ? POLL_EVERY_MS : READ_EVERY_MS;
  timer = setTimeout(() => void (document.hidden ? readLater() : readOverview()), delayMs);
}

function wake(): void {
  for (const stream of streams.values()) stream.hurry();
  void readOverview();
}

function stopStreams(): void {
  for (const stream of streams.values()) stream.stop();
  streams.clear();
}

/** The public has no stream, nor has one whose session ended and who is the public since. */
function followStreams(): void {
  const { role, partitions } = view.overview ?? { role: "public", partitions: 0 };
  if (role === "public") {
    stopStreams();
    return;
  }
  for (let partition = 0; partition < partitions; partition++) {
    if (!streams.has(partition)) streams.set(partition, followStream(partition));
  }
}

function followStream(partition: number): LiveStream {
  const stream: LiveStream = new LiveStream(partition, {
    opened: () => {
      happen({ type: "Opened", partition, now: Date.now() });
      // What changed while no stream was open is in no message.
      void readOverview();
    },
    heard: () => happen({ type: "Heard", partition, now: Date.now() }),
    told: (message) => {
      const replay = needsReplay(view.streams.get(partition), message);
      happen({ type: "Told", message, now: Date.now() });
      if (replay) stream.reconnect();
      // Regions and clusters are in the overview alone.
      if (message.events.some(({ type }) => /^(Region|Cluster)/.test(type))) void readOverview();
    },
    closed: () => {
      happen({ type: "Closed", partition, now: Date.now() });
      void readOverview();
    },
    after: () => view.streams.get(partition)?.lastEventId,
  });
  return stream;
}

function happen(action: Action): void {
  view = reduce(view, action);
  for (const listener of [...listeners]) listener();
}
