import type { Change } from "../../../shared/model/notification.ts";
import { type Incident, type Incidents, isWorse } from "./incident.ts";

/** How long a fault must last to be sent, and how far apart the faults in one message may be. */
export interface Timing {
  minDurationMs: number;
  groupWindowMs: number;
}

interface Due {
  /** One message; empty while nothing is due. */
  changes: Change[];
  incidents: Map<string, Incident>;
  /** When to ask again, Unix ms. */
  wakeAt: number | undefined;
}

/** A fault that has lasted since `start`, and was not sent. */
type Untold = { type: Change["type"]; start: number; incident: Incident };

/**
 * What is to be sent now: beginnings, worsenings and ends, once they have lasted `minDuration`. The first one waits for those
 * that begin within its `groupWindow`. So nothing is later than both together.
 */
export function dueChanges(incidents: Incidents, timing: Timing, nowMs: number): Due {
  const untold = [...incidents.values()].flatMap(untoldOf).sort(byStart);
  const leaveAt = whenToLeave(untold, timing);
  const after = new Map(incidents);
  if (leaveAt === undefined || leaveAt > nowMs) return { changes: [], incidents: after, wakeAt: leaveAt };
  const isDue = ({ start }: Untold) => start + timing.minDurationMs <= nowMs;
  const leaving = untold.filter(isDue);
  for (const { type, incident } of leaving) {
    if (type === "Ended") after.delete(incident.key);
    else after.set(incident.key, { ...incident, told: incident.kind });
  }
  const rest = untold.filter((one) => !isDue(one));
  return { changes: leaving.map(changeOf), incidents: after, wakeAt: whenToLeave(rest, timing) };
}

function untoldOf(incident: Incident): Untold[] {
  const { isOld, told, kind, since, kindSince, goneAt } = incident;
  if (isOld) return [];
  if (told === undefined) return [{ type: "Began", start: since, incident }];
  if (goneAt !== undefined) return [{ type: "Ended", start: goneAt, incident }];
  return isWorse(kind, told) ? [{ type: "Worsened", start: kindSince, incident }] : [];
}

function whenToLeave(untold: readonly Untold[], { minDurationMs, groupWindowMs }: Timing): number | undefined {
  const [first] = untold;
  if (first === undefined) return undefined;
  const windowEnd = first.start + groupWindowMs;
  const last = untold.findLast(({ start }) => start <= windowEnd) ?? first;
  return Math.max(windowEnd, last.start + minDurationMs);
}

function changeOf({ type, incident }: Untold): Change {
  const { id, key, since, summary, goneAt } = incident;
  const kind = type === "Ended" ? (incident.told ?? incident.kind) : incident.kind;
  return { type, incident: id, key, kind, since, ...(goneAt !== undefined && { endedAt: goneAt }), summary };
}

const byStart = (a: Untold, b: Untold) => a.start - b.start || (a.incident.key < b.incident.key ? -1 : 1);
