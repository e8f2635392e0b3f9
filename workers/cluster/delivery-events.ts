import type { MessageNumber } from "../../shared/model/number.ts";
import { formatNumber } from "../../shared/number.ts";
import type { ClusterEvent } from "../rpc.ts";

/** What the outbox has for the event log. */
export type DeliveryEvent = Omit<ClusterEvent, "cluster">;

/** Decisions that the agent has not confirmed: the numbers of the first and the last, and since when that first one waits. */
export interface Unconfirmed {
  /** Unix ms. */
  at: number;
  first: number;
  last: number;
}

/** With one more decision, number `n`. */
export function decided(before: Unconfirmed | undefined, n: number, nowMs: number): Unconfirmed {
  return before === undefined ? { at: nowMs, first: n, last: n } : { ...before, last: n };
}

/** What is left once the agent has applied number `n`: whatever came after that waits since it was sent, or later. */
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
