import type { Condition, StatusCondition } from "../../shared/model/condition.ts";
import type { EventContent } from "../kubernetes/events.ts";
import { formatPublished, type Published } from "../plan/explain.ts";
import type { State } from "../status/state.ts";

/** Conditions whose changes are events, and the status that is nothing to worry about. */
const TOLD: Readonly<Record<string, StatusCondition["status"]>> = {
  Accepted: "True",
  Healthy: "True",
  EdgeReachable: "True",
  HeadersReady: "True",
};

/** The condition is there only while the Secret cannot be used. */
const HEADERS_READY: StatusCondition = {
  type: "HeadersReady",
  status: "True",
  reason: "HeadersReady",
  message: "The Secret of its headers can be used.",
  lastTransitionTime: "",
};

/** What an event says of a record. */
export type RecordEvent = Omit<EventContent, "at">;

/**
 * The transitions between two states of the records, by key. A condition that is seen for the first time is no
 * transition.
 */
export function transitions(before: State["records"], after: State["records"]): { key: string; event: RecordEvent }[] {
  return Object.entries(after).flatMap(([key, { status }]) => {
    const old = toldOf(before[key]?.status.conditions ?? []);
    return toldOf(status.conditions).flatMap((condition) => {
      const event = transition(old, condition);
      return event === undefined ? [] : [{ key, event }];
    });
  });
}

/** An empty list is that of a record which is seen for the first time. */
function toldOf(conditions: readonly StatusCondition[]): readonly StatusCondition[] {
  const isSilent = conditions.length === 0 || conditions.some(({ type }) => type === HEADERS_READY.type);
  return isSilent ? conditions : [...conditions, HEADERS_READY];
}

function transition(before: readonly StatusCondition[], now: StatusCondition): RecordEvent | undefined {
  const good = TOLD[now.type];
  const old = before.find(({ type }) => type === now.type);
  const isSame = old?.status === now.status && old.reason === now.reason;
  if (good === undefined || old === undefined || isSame || now.status === "Unknown") return undefined;
  const isGood = now.status === good;
  // After each start the edge is awaited, so the first contact is no transition.
  if (now.type === "EdgeReachable" && isGood && old.status === "Unknown") return undefined;
  return {
    type: isGood ? "Normal" : "Warning",
    reason: now.reason === "Contact" ? "EdgeReachable" : now.reason,
    message: now.message || `${now.type} is ${now.status}${old.status === "Unknown" ? "" : " again"} (${now.reason}).`,
  };
}

/** What reached DNS, or why it did not, as an event of a record that names the host. */
export function publishedEvent(change: Published, conflict?: Condition): RecordEvent {
  if (conflict !== undefined) return { type: "Warning", reason: conflict.type, message: conflict.message };
  const isLoss = change.removed.length > 0;
  return {
    type: isLoss ? "Warning" : "Normal",
    reason: isLoss ? "EndpointsWithdrawn" : "EndpointsPublished",
    message: formatPublished(change),
  };
}
