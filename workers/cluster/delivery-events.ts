import type { MessageNumber } from "../../shared/model/number.ts";
import { formatNumber } from "../../shared/number.ts";
import type { ClusterEvent } from "../rpc.ts";

/** An event of the outbox for the event log. */
export type DeliveryEvent = Omit<ClusterEvent, "cluster">;

/** Decisions that the agent has not acknowledged: the numbers of the first and last, and since when the first waits. */
export interface Unconfirmed {
  /** Unix ms. */
  at: number;
  first: number;
  last: number;
}

/** Adds decision number `n`. */
export function decided(before: Unconfirmed | undefined, n: number, nowMs: number): Unconfirmed {
  return before === undefined ? { at: nowMs, first: n, last: n } : { ...before, last: n };
}

/**
 * Returns what remains after the agent applied number `n`. Later decisions have waited since that delivery was sent, at
 * most.
 */
export function leftAfter({ last }: Unconfirmed, n: number, sentAt: number): Unconfirmed | undefined {
  return n < last ? { at: sentAt, first: n + 1, last } : undefined;
}

export function delivered(number: MessageNumber, lagMs: number): string {
  return `the agent has applied ${formatNumber(number)}, ${(Math.max(0, lagMs) / 1_000).toFixed(1)} s after it was decided`;
}

export function unreachable(sinceMs: number, lastFailure: string): string {
  return `deliveries fail since ${new Date(sinceMs).toISOString()}: ${lastFailure}`;
}

export const reachable = (failures: number): string => `deliveries arrive again, after ${failures} that failed`;
