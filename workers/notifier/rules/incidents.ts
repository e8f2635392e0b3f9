import { z } from "zod";
import { allowsRoot } from "../../../shared/allowed-hosts.ts";
import type { NotificationTarget } from "../../../shared/model/notification-target.ts";
import {
  type Trouble as Alert,
  type TroubleKind as AlertKind,
  type Troubles as Alerts,
  troubleKind,
} from "../../../shared/model/trouble.ts";

/** An alert as one target knows it. Each target has its own incidents, since each has its own durations and filters. */
export const incident = z.object({
  id: z.string(),
  key: z.string(),
  kind: troubleKind,
  /** When it began, and when its kind last changed, Unix ms. */
  since: z.int(),
  kindSince: z.int(),
  summary: z.string(),
  /** The partitions that report it; empty once it is over. */
  partitions: z.array(z.int()),
  /** When it ended, until that is sent, Unix ms. */
  goneAt: z.int().optional(),
  /** The worst kind that was sent; absent until the beginning was sent. */
  told: troubleKind.optional(),
  /** It is older than the target, and is never sent. */
  isOld: z.boolean(),
});
export type Incident = z.infer<typeof incident>;

/** By key. */
export type Incidents = ReadonlyMap<string, Incident>;

/** A record has the same key in both of its kinds. Other keys have one kind each. */
export const isWorse = (kind: AlertKind, than: AlertKind) => kind === "RecordCritical" && than === "RecordDegraded";

const RECORD = "record/";

/** Whether a target receives an alert. `hosts` filters only records: regions and clusters belong to no host. */
export function isForTarget({ kinds, hosts }: Pick<NotificationTarget, "kinds" | "hosts">, alert: Alert): boolean {
  if (kinds !== undefined && !kinds.includes(alert.kind)) return false;
  if (hosts === undefined || !alert.key.startsWith(RECORD)) return true;
  const rootHost = alert.key.slice(RECORD.length);
  return hosts.some((host) => allowsRoot(host, rootHost));
}

/**
 * Returns a target's incidents after the newest list of one partition, which is complete. An incident that no partition lists
 * any more has ended. It is dropped if its beginning was never sent; otherwise it waits until its end is sent. If it returns
 * before that, the same incident continues. Alerts that began at `oldUntil` (Unix ms) or earlier are never sent.
 */
export function updateIncidents(
  incidents: Incidents,
  { partition, troubles }: Pick<Alerts, "partition" | "troubles">,
  oldUntil: number,
  nowMs: number,
): Map<string, Incident> {
  const after = new Map(incidents);
  const listed = new Set(troubles.map(({ key }) => key));
  for (const [key, one] of incidents) {
    if (!one.partitions.includes(partition) || listed.has(key)) continue;
    const left = withoutPartition(one, partition, nowMs);
    if (left === undefined) after.delete(key);
    else after.set(key, left);
  }
  for (const alert of troubles) {
    const known = after.get(alert.key);
    const isNew = known === undefined || (known.isOld && isWorse(alert.kind, known.kind));
    after.set(alert.key, isNew ? newIncident(alert, partition, oldUntil, nowMs) : continued(known, alert, partition));
  }
  return after;
}

function newIncident(alert: Alert, partition: number, oldUntil: number, nowMs: number): Incident {
  const { key, kind, summary } = alert;
  const since = Math.min(alert.since, nowMs);
  const isOld = alert.since <= oldUntil;
  return { id: `${key}@${nowMs}`, key, kind, since, kindSince: since, summary, partitions: [partition], isOld };
}

/** A summary that was sent stays. It is replaced only before it is sent, or when the kind changes. */
function continued(known: Incident, alert: Alert, partition: number): Incident {
  const { goneAt: _, ...rest } = known;
  const partitions = known.partitions.includes(partition) ? known.partitions : [...known.partitions, partition];
  const isChanged = alert.kind !== known.kind || known.told === undefined;
  const change = { kind: alert.kind, kindSince: alert.since, summary: alert.summary };
  return { ...rest, partitions, ...(isChanged && change) };
}

function withoutPartition(known: Incident, partition: number, nowMs: number): Incident | undefined {
  const partitions = known.partitions.filter((other) => other !== partition);
  if (partitions.length > 0) return { ...known, partitions };
  return known.told === undefined ? undefined : { ...known, partitions, goneAt: nowMs };
}
