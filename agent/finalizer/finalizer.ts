import { z } from "zod";
import type { Condition } from "../../shared/model/condition.ts";
import { formatDurationMs } from "../../shared/model/duration.ts";
import { DNS_RECORD, type Kind } from "../kubernetes/kinds.ts";
import { type KubeObject, refKey } from "../kubernetes/object.ts";
export const FINALIZER = "vedette.dev/withdraw";

/** What is known of the edge, and of the time. */
export interface FinalizerContext {
  /** The records that the newest snapshot held which the edge took, by `namespace/name`; undefined before one was taken. */
  taken: ReadonlySet<string> | undefined;
  /** This cluster's records that the newest delivery names; undefined before there was one. */
  named: ReadonlySet<string> | undefined;
  isEdgeReachable: boolean;
  /** Whether a snapshot with this very object was taken by the edge, as far as this process knows. */
  wasTaken: boolean;
  /** Whether a DNSEndpoint that goes with the object is still there. */
  isInDns: boolean;
  /** By the API server's clock, Unix ms, at least. */
  apiNowMs: number;
  deletionTimeoutMs: number;
}

/** Why a record is let go. */
export type ReleaseReason = "NeverAccepted" | "Withdrawn" | "ReleasedWithoutEdge";

export type Phase =
  /** Not ours yet: our finalizer has to be set first. */
  | { type: "Claim" }
  | { type: "Member" }
  /** Out of the snapshot and out of DNS, and not let go yet. */
  | { type: "Withdrawing"; condition: Condition; leftMs: number }
  | { type: "Release"; reason: ReleaseReason; message: string }
  /** Is being deleted, and does not wait for us. */
  | { type: "Leaving" };

/**
 * Whether a record takes part in what is pushed and published: our finalizer was read back, so that it cannot vanish
 * unnoticed, and nobody has deleted it. One that the edge has taken stays while a finalizer that somebody took away is set
 * again.
 *
 * @param wasTaken whether a snapshot with this very object was taken by the edge, as far as this process knows
 */
export function isMember({ metadata, status }: KubeObject, wasTaken: boolean): boolean {
  return metadata.deletionTimestamp === undefined && (hasFinalizer(metadata) || wasTaken || wasAccepted(status));
}

export const hasFinalizer = ({ finalizers = [] }: KubeObject["metadata"]) => finalizers.includes(FINALIZER);

/** Where a record stands in its life. */
export function phaseOf(record: KubeObject, around: FinalizerContext): Phase {
  const { metadata, status } = record;
  if (metadata.deletionTimestamp === undefined) return { type: hasFinalizer(metadata) ? "Member" : "Claim" };
  if (!hasFinalizer(metadata)) return { type: "Leaving" };
  const leftMs = leftOf(metadata.deletionTimestamp, around);
  if (!around.isInDns) {
    if (!around.wasTaken && !wasAccepted(status))
      return {
        type: "Release",
        reason: "NeverAccepted",
        message: "The edge never took the record: it is let go at once.",
      };
    if (isForgotten(refKey(metadata), around))
      return { type: "Release", reason: "Withdrawn", message: "The edge has withdrawn the record." };
  }
  const timeout = formatDurationMs(around.deletionTimeoutMs);
  if (leftMs > 0) return { type: "Withdrawing", condition: withdrawing(metadata.deletionTimestamp, around), leftMs };
  return {
    type: "Release",
    reason: "ReleasedWithoutEdge",
    message: `Nobody confirmed within ${timeout} that the record is withdrawn: it is let go. The edge learns of it by the next snapshot.`,
  };
}

/** How long it may still wait, in milliseconds. A time that cannot be read, or none at the API yet, leaves all of it. */
function leftOf(deletedAt: string, { apiNowMs, deletionTimeoutMs }: FinalizerContext): number {
  const ageMs = apiNowMs - Date.parse(deletedAt);
  return deletionTimeoutMs - (Number.isFinite(ageMs) ? Math.max(0, ageMs) : 0);
}

const isForgotten = (key: string, { taken, named }: FinalizerContext) =>
  taken !== undefined && named !== undefined && !taken.has(key) && !named.has(key);

function withdrawing(deletedAt: string, { isEdgeReachable, isInDns, deletionTimeoutMs }: FinalizerContext): Condition {
  const until = new Date(Date.parse(deletedAt) + deletionTimeoutMs).toISOString();
  const atMost = `It is let go at ${until} at the latest.`;
  const not = { type: "Withdrawn", status: "False" } as const;
  if (!isEdgeReachable)
    return {
      ...not,
      reason: "EdgeUnreachable",
      message: `The edge cannot be told that the record is deleted. ${atMost}`,
    };
  if (isInDns) return { ...not, reason: "InDNS", message: `Its DNSEndpoint is not gone yet. ${atMost}` };
  return { ...not, reason: "Withdrawing", message: `The edge has not confirmed yet that it is withdrawn. ${atMost}` };
}

const traces = z.looseObject({
  conditions: z
    .array(z.looseObject({ type: z.string(), status: z.string() }))
    .optional()
    .catch([]),
  lastAccepted: z.unknown().optional(),
  decision: z.unknown().optional(),
});

/** Whether the status shows that the edge has taken the record at any time. */
function wasAccepted(status: unknown): boolean {
  const { conditions = [], lastAccepted, decision } = traces.safeParse(status).data ?? {};
  const isAccepted = conditions.some((one) => one.type === "Accepted" && one.status === "True");
  return isAccepted || lastAccepted !== undefined || decision !== undefined;
}

const FIELD_MANAGER = "vedette-finalizer";

/** What of the API client the finalizer needs. It throws `KubeError`s. */
export interface FinalizerClient {
  apply(kind: Kind, object: KubeObject, options: { fieldManager: string; force?: boolean }): Promise<KubeObject>;
  replace(kind: Kind, object: KubeObject): Promise<KubeObject>;
}

/** Sets our finalizer. @returns the record as it is now; @throws KubeError 409 where it is gone or another by its uid */
export function addFinalizer(client: FinalizerClient, record: KubeObject): Promise<KubeObject> {
  return apply(client, record, [FINALIZER]);
}

/**
 * Takes our finalizer away. Where somebody else has applied it too (a manifest that was exported from the cluster names it),
 * server-side apply leaves it there: then the record is written without it.
 */
export async function removeFinalizer(client: FinalizerClient, record: KubeObject): Promise<void> {
  const after = await apply(client, record, []);
  if (!hasFinalizer(after.metadata)) return;
  const finalizers = (after.metadata.finalizers ?? []).filter((one) => one !== FINALIZER);
  await client.replace(DNS_RECORD, { ...after, metadata: { ...after.metadata, finalizers } });
}

function apply(client: FinalizerClient, { metadata }: KubeObject, finalizers: string[]): Promise<KubeObject> {
  const { name, namespace, uid } = metadata;
  const { apiVersion, kind } = DNS_RECORD;
  const same = { name, ...(namespace !== undefined && { namespace }), ...(uid !== undefined && { uid }) };
  const object = { apiVersion, kind, metadata: { ...same, ...(finalizers.length > 0 && { finalizers }) } };
  return client.apply(DNS_RECORD, object, { fieldManager: FIELD_MANAGER, force: true });
}
