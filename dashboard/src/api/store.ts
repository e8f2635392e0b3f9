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
 * Selects a part of the state and follows it. The component is drawn again when the selected value changes by identity,
 * so `select` should pick a value and not build one.
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

/** The current time by the edge's clock, Unix ms. For content that is drawn once. */
export const edgeNow = (): number => Date.now() + view.skewMs;

/** Starts to follow the edge. Called once, when the page starts. */
export function follow(): void {
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) wake();
  });
  addEventListener("online", wake);
  void readOverview();
}

/** Drops all state after a login or logout, and reads it again under the new identity. */
export function startOver(): Promise<void> {
  stopStreams();
  happen({ type: "LoggedIn" });
  return readOverview();
}

/**
 * Reads the overview now. If a read is in flight, another follows it, because the first may be older than this call.
 */
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
    // The session has ended. Every stream would be refused.
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

/** The public has no stream. That includes a viewer whose session has ended. */
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
      // Changes made while no stream was open are in no message.
      void readOverview();
    },
    heard: () => happen({ type: "Heard", partition, now: Date.now() }),
    told: (message) => {
      const replay = needsReplay(view.streams.get(partition), message);
      happen({ type: "Told", message, now: Date.now() });
      if (replay) stream.reconnect();
      // Only the overview has regions and clusters.
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
