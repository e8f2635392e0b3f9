import type { Change } from "../../../shared/model/notification.ts";
import { type Incident, type Incidents, isWorse } from "./incidents.ts";

/** How long a change must last before it is sent, and how far apart the changes of one message may be. */
export interface Timing {
  minDurationMs: number;
  groupWindowMs: number;
}

interface Due {
  /** The changes of one message; empty if nothing is due. */
  changes: Change[];
  incidents: Map<string, Incident>;
  /** When to call again, Unix ms. */
  wakeAt: number | undefined;
}

/** A change since `start` that has not been sent. */
type UnsentChange = { type: Change["type"]; start: number; incident: Incident };

/**
 * Returns the changes to send now: beginnings, worsenings and ends that have lasted `minDuration`. The first one
 * waits for those that begin within its `groupWindow`. The two durations together bound every delay.
 */
export function dueChanges(incidents: Incidents, timing: Timing, nowMs: number): Due {
  const unsent = [...incidents.values()].flatMap(unsentChangesOf).sort(byStart);
  const sendAt = whenToSend(unsent, timing);
  const after = new Map(incidents);
  if (sendAt === undefined || sendAt > nowMs) return { changes: [], incidents: after, wakeAt: sendAt };
  const isDue = ({ start }: UnsentChange) => start + timing.minDurationMs <= nowMs;
  const due = unsent.filter(isDue);
  for (const { type, incident } of due) {
    if (type === "Ended") after.delete(incident.key);
    else after.set(incident.key, { ...incident, told: incident.kind });
  }
  const rest = unsent.filter((one) => !isDue(one));
  return { changes: due.map(changeOf), incidents: after, wakeAt: whenToSend(rest, timing) };
}

function unsentChangesOf(incident: Incident): UnsentChange[] {
  const { isOld, told, kind, since, kindSince, goneAt } = incident;
  if (isOld) return [];
  if (told === undefined) return [{ type: "Began", start: since, incident }];
  if (goneAt !== undefined) return [{ type: "Ended", start: goneAt, incident }];
  return isWorse(kind, told) ? [{ type: "Worsened", start: kindSince, incident }] : [];
}

function whenToSend(unsent: readonly UnsentChange[], { minDurationMs, groupWindowMs }: Timing): number | undefined {
  const [first] = unsent;
  if (first === undefined) return undefined;
  const windowEnd = first.start + groupWindowMs;
  const last = unsent.findLast(({ start }) => start <= windowEnd) ?? first;
  return Math.max(windowEnd, last.start + minDurationMs);
}

function changeOf({ type, incident }: UnsentChange): Change {
  const { id, key, since, summary, goneAt } = incident;
  const kind = type === "Ended" ? (incident.told ?? incident.kind) : incident.kind;
  return { type, incident: id, key, kind, since, ...(goneAt !== undefined && { endedAt: goneAt }), summary };
}

const byStart = (a: UnsentChange, b: UnsentChange) => a.start - b.start || (a.incident.key < b.incident.key ? -1 : 1);
