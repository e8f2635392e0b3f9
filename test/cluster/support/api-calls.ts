import type { AuditEvent } from "./audit.ts";
import type { Cluster } from "./cluster.ts";

const AGENT = "system:serviceaccount:vedette-system:vedette-agent";
const WRITES = new Set(["create", "update", "patch", "delete", "deletecollection"]);

/** What the agent asked of an API server in a span of time, from the server's audit log. */
export class ApiCalls {
  readonly all: readonly AuditEvent[];

  private constructor(all: readonly AuditEvent[]) {
    this.all = all;
  }

  /** Those received in the span, Unix ms; the end is open. */
  static between(cluster: Cluster, fromMs: number, toMs = Number.POSITIVE_INFINITY): ApiCalls {
    const isOurs = ({ user, receivedAtMs }: AuditEvent) =>
      user === AGENT && receivedAtMs >= fromMs && receivedAtMs < toMs;
    return new ApiCalls(cluster.auditEvents().filter(isOurs));
  }

  get writes(): AuditEvent[] {
    return this.all.filter(({ verb }) => WRITES.has(verb));
  }

  /** Writes but for the renewals of the election Lease. */
  get ownWrites(): AuditEvent[] {
    return this.writes.filter((event) => !isElection(event));
  }

  get electionWrites(): AuditEvent[] {
    return this.writes.filter(isElection);
  }

  get reads(): AuditEvent[] {
    return this.all.filter(({ verb }) => !WRITES.has(verb));
  }

  /** Those that the server refused: conflicts, for instance. */
  get refused(): AuditEvent[] {
    return this.all.filter(({ code }) => code >= 400);
  }
}

const isElection = ({ resource, name }: AuditEvent) => resource === "leases" && name.endsWith("-leader");

/** How many calls of each kind: `{"patch dnsrecords/status": 30}`. */
export function tally(events: readonly AuditEvent[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const { verb, resource } of events) {
    const what = `${verb} ${resource}`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  return Object.fromEntries([...counts].sort());
}
