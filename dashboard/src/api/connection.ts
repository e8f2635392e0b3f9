import type { Stream, View } from "./state.ts";

/** How the page is kept up to date. `lastWordAt` is Unix ms by the viewer's clock. */
export type Connection = { state: "connecting" | "live" | "polling" } | { state: "stale"; lastWordAt: number };

/** A polled overview may be as old as two polls plus the time of an answer. */
const POLLED_STALE_MS = 12_000;

/**
 * Returns the state of the connection at a moment. It is live only while the stream of every partition is open. After a
 * loss the page is stale until it has read an overview; from then on it polls.
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

/** Whether the overview must replace a stream. */
export const isPolled = ({ overview, fault, streams }: View): boolean =>
  fault !== undefined || overview?.role === "public" || [...streams.values()].some(({ open }) => !open);

const streamsOf = ({ streams }: View, partitions: number): Stream[] =>
  Array.from({ length: partitions }, (_, partition) => streams.get(partition) ?? { open: false });

/** The time of the partition that has been silent longest. The overview covers all partitions. */
const lastWordOf = (streams: readonly Stream[], readAt: number): number =>
  Math.min(...streams.map(({ heardAt }) => Math.max(heardAt ?? 0, readAt)));
