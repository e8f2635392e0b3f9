import { z } from "zod";
import type { Condition } from "../../shared/model/condition.ts";
import { formatDurationMs } from "../../shared/model/duration.ts";
import { DNS_RECORD, type Kind } from "../kubernetes/kinds.ts";
import { type KubeObject, refKey } from "../kubernetes/object.ts";
export const FINALIZER = "vedette.dev/withdraw";

/** What a phase depends on besides the record: the edge, DNS and the time. */
export interface FinalizerContext {
  /** The records of the newest snapshot that the edge accepted, by `namespace/name`; undefined before the first one. */
  accepted: ReadonlySet<string> | undefined;
  /** This cluster's records that the newest delivery names; undefined before the first one. */
  delivered: ReadonlySet<string> | undefined;
  isEdgeReachable: boolean;
  /** Whether the edge accepted a snapshot with this very object, as far as this process knows. */
  wasAccepted: boolean;
  /** Whether a DNSEndpoint that the object owns still exists. */
  isInDns: boolean;
  /** A lower bound of the API server's time, Unix ms. */
  apiNowMs: number;
  deletionTimeoutMs: number;
}

/** Why the finalizer is removed. */
export type ReleaseReason = "NeverAccepted" | "Withdrawn" | "ReleasedWithoutEdge";

export type Phase =
  /** The finalizer has to be set first. */
  | { type: "Claim" }
  | { type: "Member" }
  /** Out of the snapshot and of DNS, but the finalizer stays until the edge confirms. */
  | { type: "Withdrawing"; condition: Condition; leftMs: number }
  | { type: "Release"; reason: ReleaseReason; message: string }
  /** It is being deleted and does not have our finalizer. */
  | { type: "Leaving" };

/**
 * Whether a record is pushed and published. It must not be deleted, and its finalizer was read back, so that it cannot vanish
 * unnoticed. If somebody removed the finalizer of a record that the edge accepted, the record stays while it is set again.
 *
 * @param wasAccepted whether the edge accepted a snapshot with this very object, as far as this process knows
 */
export function isMember({ metadata, status }: KubeObject, wasAccepted: boolean): boolean {
  return metadata.deletionTimestamp === undefined && (hasFinalizer(metadata) || wasAccepted || hasTraces(status));
}

export const hasFinalizer = ({ finalizers = [] }: KubeObject["metadata"]) => finalizers.includes(FINALIZER);

/** The phase of a record in its life cycle. */
export function phaseOf(record: KubeObject, context: FinalizerContext): Phase {
  const { metadata, status } = record;
  if (metadata.deletionTimestamp === undefined) return { type: hasFinalizer(metadata) ? "Member" : "Claim" };
  if (!hasFinalizer(metadata)) return { type: "Leaving" };
  const leftMs = leftOf(metadata.deletionTimestamp, context);
  if (!context.isInDns) {
    if (!context.wasAccepted && !hasTraces(status))
      return {
        type: "Release",
        reason: "NeverAccepted",
        message: "The edge never accepted the record, so the finalizer is removed at once.",
      };
    if (isWithdrawn(refKey(metadata), context))
      return { type: "Release", reason: "Withdrawn", message: "The edge has withdrawn the record." };
  }
  const timeout = formatDurationMs(context.deletionTimeoutMs);
  if (leftMs > 0) return { type: "Withdrawing", condition: withdrawing(metadata.deletionTimestamp, context), leftMs };
  return {
    type: "Release",
    reason: "ReleasedWithoutEdge",
    message: `The edge did not confirm the withdrawal within ${timeout}, so the finalizer is removed. The next snapshot tells the edge.`,
  };
}

/** The rest of the deletion timeout, in milliseconds. It is the whole timeout if a time is unknown or cannot be read. */
function leftOf(deletedAt: string, { apiNowMs, deletionTimeoutMs }: FinalizerContext): number {
  const ageMs = apiNowMs - Date.parse(deletedAt);
  return deletionTimeoutMs - (Number.isFinite(ageMs) ? Math.max(0, ageMs) : 0);
}

const isWithdrawn = (key: string, { accepted, delivered }: FinalizerContext) =>
  accepted !== undefined && delivered !== undefined && !accepted.has(key) && !delivered.has(key);

function withdrawing(deletedAt: string, { isEdgeReachable, isInDns, deletionTimeoutMs }: FinalizerContext): Condition {
  const until = new Date(Date.parse(deletedAt) + deletionTimeoutMs).toISOString();
  const atMost = `The finalizer is removed at ${until} at the latest.`;
  const not = { type: "Withdrawn", status: "False" } as const;
  if (!isEdgeReachable)
    return {
      ...not,
      reason: "EdgeUnreachable",
      message: `The edge is unreachable, so it does not know of the deletion. ${atMost}`,
    };
  if (isInDns) return { ...not, reason: "InDNS", message: `Its DNSEndpoint still exists. ${atMost}` };
  return { ...not, reason: "Withdrawing", message: `The edge has not confirmed the withdrawal yet. ${atMost}` };
}

const traces = z.looseObject({
  conditions: z
    .array(z.looseObject({ type: z.string(), status: z.string() }))
    .optional()
    .catch([]),
  lastAccepted: z.unknown().optional(),
  decision: z.unknown().optional(),
});

/** Whether the status shows that the edge ever accepted the record. */
function hasTraces(status: unknown): boolean {
  const { conditions = [], lastAccepted, decision } = traces.safeParse(status).data ?? {};
  const isAccepted = conditions.some((one) => one.type === "Accepted" && one.status === "True");
  return isAccepted || lastAccepted !== undefined || decision !== undefined;
}

const FIELD_MANAGER = "vedette-finalizer";

/** The part of the API client that the finalizer needs. Its calls throw `KubeError`s. */
export interface FinalizerClient {
  apply(kind: Kind, object: KubeObject, options: { fieldManager: string; force?: boolean }): Promise<KubeObject>;
  replace(kind: Kind, object: KubeObject): Promise<KubeObject>;
}

/**
 * Sets our finalizer.
 *
 * @returns the record as it is now
 * @throws KubeError 409 if the record is gone or has another uid
 */
export function addFinalizer(client: FinalizerClient, record: KubeObject): Promise<KubeObject> {
  return apply(client, record, [FINALIZER]);
}

/**
 * Removes our finalizer. Server-side apply leaves it there if another manager has applied it too, for example with a manifest that was
 * exported from the cluster. The record is then replaced by one without it.
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
