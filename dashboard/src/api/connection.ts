import type { View } from "./state.ts";

/** How the page is kept up to date, for people. `lastWordAt` by the viewer's clock, Unix ms. */
export type Connection = { state: "connecting" | "live" | "polling" } | { state: "stale"; lastWordAt: number };

/** An overview that was polled may be as old as two questions and the time of an answer. */
export const POLLED_STALE_MS = 12_000;

/** What the state of the connection is at a moment: live only while the stream of every partition is open. */
export function connectionOf({ overview, readAt, fault, streams }: View, now: number): Connection {
  if (overview === undefined || readAt === undefined) return { state: "connecting" };
  if (overview.role === "public") {
    return now - readAt > POLLED_STALE_MS ? { state: "stale", lastWordAt: readAt } : { state: "polling" };
  }
  const all = Array.from({ length: overview.partitions }, (_, partition) => streams.get(partition));
  if (all.every((stream) => stream?.open) && fault === undefined) return { state: "live" };
  // Before the first stream was ever open nothing was lost: the overview is only just read.
  if (all.every((stream) => stream?.heardAt === undefined) && fault === undefined && now - readAt < POLLED_STALE_MS)
    return { state: "connecting" };
  return { state: "stale", lastWordAt: Math.min(...all.map((stream) => stream?.heardAt ?? readAt)) };
}
