import type { Endpoint } from "../../shared/model/endpoint.ts";
import type { MessageNumber } from "../../shared/model/number.ts";
import type { MergeInput } from "../../shared/record/merge.ts";
import type { HostState } from "../status/state.ts";
import { type Basis, type HostPlan, planHost } from "./plan-host.ts";

export interface HostsInput {
  cluster: string;
  /** This cluster's shares by root host. A host without any leaves DNS. */
  shares: ReadonlyMap<string, readonly MergeInput[]>;
  hosts: Readonly<Record<string, HostState>>;
  silent: boolean;
}

/** A host whose content in DNS changes. */
export interface HostChange {
  rootHost: string;
  /** Undefined where nothing had been decided, or the host is no longer served. */
  before: readonly Endpoint[] | undefined;
  after: readonly Endpoint[] | undefined;
  /** Why; `Removed`: no record names the host any more. */
  basis: Basis | "Removed";
}

export interface HostsPlan {
  hosts: Record<string, HostState>;
  bases: ReadonlyMap<string, Basis>;
  changes: HostChange[];
}

/** What all root hosts of this cluster are to have in DNS, and how that differs from what they have. */
export function planHosts({ cluster, shares, hosts, silent }: HostsInput): HostsPlan {
  const next: Record<string, HostState> = {};
  const bases = new Map<string, Basis>();
  const changes: HostChange[] = [];
  for (const [rootHost, own] of shares) {
    const { served, delivered } = hosts[rootHost] ?? {};
    const plan: HostPlan = planHost({ cluster, own, delivered, served, silent });
    next[rootHost] = { ...(plan.endpoints && { served: plan.endpoints }), ...(delivered && { delivered }) };
    bases.set(rootHost, plan.basis);
    if (!isSame(served, plan.endpoints)) {
      changes.push({ rootHost, before: served, after: plan.endpoints, basis: plan.basis });
    }
  }
  for (const [rootHost, { served }] of Object.entries(hosts)) {
    if (!shares.has(rootHost)) changes.push({ rootHost, before: served, after: undefined, basis: "Removed" });
  }
  return { hosts: next, bases, changes };
}

function isSame(a: readonly Endpoint[] | undefined, b: readonly Endpoint[] | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/**
 * The serial after a change (RFC 1982: it only goes up). It follows the delivery's number, so that servers with the
 * same delivery answer alike. It increases by one if anything else changed the content.
 */
export function nextSerial(serial: number, { epoch, n }: MessageNumber): number {
  return Math.max(serial + 1, Math.floor(epoch / 1000) + n) % 2 ** 32;
}
