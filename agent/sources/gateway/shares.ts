import type { Gateway, Listener } from "./gateway.ts";
import type { Policy } from "./policy.ts";

/** A host name of a Gateway, and who speaks for it. */
export interface HostShare {
  host: string;
  /** The first by precedence that a policy covers. */
  listener: Listener;
  policy: Policy;
  /** All listeners of the host, by precedence. */
  sameHost: readonly Listener[];
}

const PRECEDENCE = ["HTTPS", "TLS", "HTTP", "TCP"];

/** The host names of a Gateway that a policy covers, sorted. */
export function sharesOf(gateway: Gateway, policyOf: (listener: string) => Policy | undefined): HostShare[] {
  const shares: HostShare[] = [];
  for (const [host, listeners] of Map.groupBy(gateway.listeners, (listener) => listener.host)) {
    if (host === undefined) continue;
    const sameHost = listeners.toSorted((a, b) => rankOf(a) - rankOf(b));
    const covered = sameHost.flatMap((listener) => {
      const policy = policyOf(listener.name);
      return policy === undefined ? [] : [{ listener, policy }];
    });
    const first = covered[0];
    if (first !== undefined) shares.push({ host, ...first, sameHost });
  }
  return shares.sort((a, b) => (a.host < b.host ? -1 : 1));
}

function rankOf({ protocol }: Listener): number {
  const rank = PRECEDENCE.indexOf(protocol);
  return rank < 0 ? PRECEDENCE.length : rank;
}
