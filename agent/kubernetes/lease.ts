import { LEASE } from "./kinds.ts";
import { type KubeObject, MANAGED_BY_US } from "./object.ts";

interface LeaseSpec {
  holderIdentity?: string;
  leaseDurationSeconds?: number;
  /** RFC 3339 with microseconds, by the holder's wall clock. No other replica may compute with it. */
  acquireTime?: string;
  renewTime?: string;
  leaseTransitions?: number;
}

/** A Lease as this replica observed it, and the time on its monotonic clock, in milliseconds. */
export interface ObservedLease {
  lease: KubeObject;
  at: number;
}

export interface Candidate {
  name: string;
  namespace: string;
  identity: string;
  annotations: Readonly<Record<string, string>>;
  leaseMs: number;
}

export const specOf = (lease: KubeObject) => (lease.spec ?? {}) as LeaseSpec;

/** The holder of the Lease; undefined if it was released. */
export const holderIdentity = (lease: KubeObject) => specOf(lease).holderIdentity || undefined;

/** The new observation. While the Lease is unchanged it keeps the time of the first observation. */
export function observe(before: ObservedLease | undefined, lease: KubeObject, at: number): ObservedLease {
  const isSame = before !== undefined && JSON.stringify(specOf(before.lease)) === JSON.stringify(specOf(lease));
  return { lease, at: isSame ? before.at : at };
}

/**
 * How long another holder's Lease remains valid, in milliseconds; 0 or less if it has expired. The holder's own
 * duration counts from the time when its last renewal was observed here. That is later than the renewal, so the holder
 * has given up before.
 */
export function remainingMs({ lease, at }: ObservedLease, leaseMs: number, now: number): number {
  if (holderIdentity(lease) === undefined) return 0;
  const seconds = specOf(lease).leaseDurationSeconds ?? 0;
  return at + Math.max(seconds * 1000, leaseMs) - now;
}

/** The Lease that the candidate writes to acquire it, or to renew it if it is the holder. */
export function acquiredLease(candidate: Candidate, lease: KubeObject | undefined, wallMs: number): KubeObject {
  const { name, namespace, identity, annotations, leaseMs } = candidate;
  const before = lease ? specOf(lease) : {};
  const isHeld = before.holderIdentity === identity;
  const time = microTime(wallMs);
  const transitions = before.leaseTransitions ?? 0;
  const labels = { ...MANAGED_BY_US };
  return {
    apiVersion: LEASE.apiVersion,
    kind: LEASE.kind,
    metadata: {
      ...(lease?.metadata ?? { name, namespace, labels }),
      annotations: { ...lease?.metadata.annotations, ...annotations },
    },
    spec: {
      ...before,
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(leaseMs / 1000),
      acquireTime: isHeld ? (before.acquireTime ?? time) : time,
      renewTime: time,
      leaseTransitions: lease === undefined || isHeld ? transitions : transitions + 1,
    } satisfies LeaseSpec,
  };
}

/** The released Lease, which any replica may acquire at once. */
export function releasedLease(lease: KubeObject, wallMs: number): KubeObject {
  return {
    ...lease,
    spec: { ...specOf(lease), holderIdentity: "", leaseDurationSeconds: 1, renewTime: microTime(wallMs) },
  };
}

/** @param wallMs Unix ms */
export function microTime(wallMs: number): string {
  return new Date(wallMs).toISOString().replace("Z", "000Z");
}
