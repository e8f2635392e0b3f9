import type { Trouble, Troubles } from "../../../shared/model/trouble.ts";
import { type Incident, type Incidents, isWorse } from "./incident.ts";

/**
 * A target's incidents after the newest, whole list of one partition. An incident that is in no partition's list has ended. It is
 * forgotten if it was never sent. Otherwise it waits for its end to be sent. If it returns before that, it continues as the same
 * incident. Alerts that began at `oldUntil` (Unix ms) or before are never sent.
 */
export function takeTroubles(
  incidents: Incidents,
  { partition, troubles }: Pick<Troubles, "partition" | "troubles">,
  oldUntil: number,
  nowMs: number,
): Map<string, Incident> {
  const after = new Map(incidents);
  const listed = new Set(troubles.map(({ key }) => key));
  for (const [key, one] of incidents) {
    if (!one.partitions.includes(partition) || listed.has(key)) continue;
    const left = without(one, partition, nowMs);
    if (left === undefined) after.delete(key);
    else after.set(key, left);
  }
  for (const trouble of troubles) {
    const known = after.get(trouble.key);
    const isNew = known === undefined || (known.isOld && isWorse(trouble.kind, known.kind));
    after.set(trouble.key, isNew ? begun(trouble, partition, oldUntil, nowMs) : goingOn(known, trouble, partition));
  }
  return after;
}

function begun(trouble: Trouble, partition: number, oldUntil: number, nowMs: number): Incident {
  const { key, kind, summary } = trouble;
  const since = Math.min(trouble.since, nowMs);
  const isOld = trouble.since <= oldUntil;
  return { id: `${key}@${nowMs}`, key, kind, since, kindSince: since, summary, partitions: [partition], isOld };
}

/** What was sent stays. The summary is replaced only before it was sent, or where it explains why things are worse. */
function goingOn(known: Incident, trouble: Trouble, partition: number): Incident {
  const { goneAt: _, ...rest } = known;
  const partitions = known.partitions.includes(partition) ? known.partitions : [...known.partitions, partition];
  const isNews = trouble.kind !== known.kind || known.told === undefined;
  const news = { kind: trouble.kind, kindSince: trouble.since, summary: trouble.summary };
  return { ...rest, partitions, ...(isNews && news) };
}

function without(known: Incident, partition: number, nowMs: number): Incident | undefined {
  const partitions = known.partitions.filter((other) => other !== partition);
  if (partitions.length > 0) return { ...known, partitions };
  return known.told === undefined ? undefined : { ...known, partitions, goneAt: nowMs };
}
