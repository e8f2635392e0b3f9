import type { Stream, View } from "./state.ts";

/** How the page is kept up to date, for people. `lastWordAt` by the viewer's clock, Unix ms. */
export type Connection = { state: "connecting" | "live" | "polling" } | { state: "stale"; lastWordAt: number };

/** An overview that is polled may be as old as two questions and the time of an answer. */
const POLLED_STALE_MS = 12_000;

/**
 * What the state of the connection is at a moment: live only while the stream of every partition is open. Where one was lost,
 * the page is stale until it has read an overview since; from then on it polls, be it that no stream ever comes through.
 */
export function connectionOf(view: View, now: number): Connection {
  const { overview, readAt, fault } = view;
  if (overview === undefined || readAt === undefined) return { state: "connecting" };
  const isFresh = fault === undefined && now - readAt <= POLLED_STALE_MS;
  if (overview.role === "public") return isFresh ? { state: "polling" } : { state: "stale", lastWordAt: readAt };
  const streams = streamsOf(view, overview.partitions);
  if (fault === undefined && streams.every(({ open }) => open)) return { state: "live" };
  const lost = streams.flatMap(({ open, closedAt }) => (open || closedAt === undefined ? [] : closedAt));
  if (isFresh && lost.length === 0) return { state: "connecting" };
  if (isFresh && lost.every((at) => at < readAt)) return { state: "polling" };
  return { state: "stale", lastWordAt: lastWordOf(streams, readAt) };
}

/** Whether the overview has to stand in for a stream. */
export const isPolled = ({ overview, fault, streams }: View): boolean =>
  fault !== undefined || overview?.role === "public" || [...streams.values()].some(({ open }) => !open);

const streamsOf = ({ streams }: View, partitions: number): Stream[] =>
  Array.from({ length: partitions }, (_, partition) => streams.get(partition) ?? { open: false });

/** Of the partition that was not heard of for longest; the overview was of all. */
const lastWordOf = (streams: readonly Stream[], readAt: number): number =>
  Math.min(...streams.map(({ heardAt }) => Math.max(heardAt ?? 0, readAt)));
