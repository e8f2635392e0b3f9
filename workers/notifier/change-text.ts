import { formatDurationMs } from "../../shared/model/duration.ts";
import type { Change, Severity } from "../../shared/model/notification.ts";
import type { TroubleKind } from "../../shared/model/trouble.ts";

/** For each kind: its severity, its text, and its page in the view. */
const KINDS: Record<TroubleKind, { severity: Severity; what: string; path: (subject: string) => string }> = {
  RecordCritical: { severity: "critical", what: "no healthy address is left", path: recordPath },
  RecordDegraded: { severity: "warning", what: "an unhealthy address is out of DNS, or kept in it", path: recordPath },
  RegionSilent: { severity: "warning", what: "no prober of this region reports", path: () => "/regions" },
  ClusterUnreachable: { severity: "error", what: "deliveries to this cluster fail", path: () => "/clusters" },
  QuotaNear: { severity: "warning", what: "most of what the free plan allows in a day is used", path: () => "/events" },
};

function recordPath(rootHost: string): string {
  return `/records/${encodeURIComponent(rootHost)}`;
}

export const severityOf = ({ kind }: Change): Severity => KINDS[kind].severity;

/** The subject of a change: `api.example.com`, `weur`, `east`. */
export const subjectOf = ({ key }: Change): string => key.slice(key.indexOf("/") + 1);

/** `api.example.com: no healthy address is left`. */
export const titleOf = (change: Change): string => `${subjectOf(change)}: ${KINDS[change.kind].what}`;

/** The new state: `Critical`, `Now critical`, `Over after 4m10s`. */
export function stateOf(change: Change): string {
  const { severity } = KINDS[change.kind];
  if (change.type === "Began") return severity.charAt(0).toUpperCase() + severity.slice(1);
  if (change.type === "Worsened") return `Now ${severity}`;
  const lastedMs = Math.max(0, (change.endedAt ?? change.since) - change.since);
  return `Over after ${formatDurationMs(lastedMs - (lastedMs % 1_000))}`;
}

/** The link to its page; undefined if the URL of the view is unknown. */
export function linkOf(change: Change, publicUrl: string | undefined): string | undefined {
  return publicUrl === undefined ? undefined : publicUrl + KINDS[change.kind].path(subjectOf(change));
}
