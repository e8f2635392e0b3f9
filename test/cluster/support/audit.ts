/** One request, as the API server's audit log has it. */
export interface AuditEvent {
  /** When the API server received it, ms since the epoch. */
  receivedAtMs: number;
  user: string;
  userAgent: string;
  /** `get`, `list`, `watch`, `create`, `update`, `patch` (also a server-side apply), `delete`, … */
  verb: string;
  /** `dnsrecords`, or `dnsrecords/status`. */
  resource: string;
  namespace: string;
  name: string;
  /** HTTP status; 0 for a watch that goes on. */
  code: number;
}

/** The requests for API objects of an audit log; what is not for one (`/readyz`, discovery) is left out. */
export function auditEventsIn(log: string): AuditEvent[] {
  return log
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as RawEvent)
    .filter(({ objectRef }) => objectRef?.resource !== undefined)
    .map(readEvent);
}

interface RawEvent {
  requestReceivedTimestamp: string;
  user: { username?: string };
  userAgent?: string;
  verb: string;
  objectRef?: { resource?: string; subresource?: string; namespace?: string; name?: string };
  responseStatus?: { code?: number };
}

function readEvent({
  requestReceivedTimestamp,
  user,
  userAgent,
  verb,
  objectRef,
  responseStatus,
}: RawEvent): AuditEvent {
  const { resource = "", subresource, namespace = "", name = "" } = objectRef ?? {};
  return {
    receivedAtMs: Date.parse(requestReceivedTimestamp),
    user: user.username ?? "",
    userAgent: userAgent ?? "",
    verb,
    resource: subresource === undefined ? resource : `${resource}/${subresource}`,
    namespace,
    name,
    code: responseStatus?.code ?? 0,
  };
}
