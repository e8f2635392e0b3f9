import type { Endpoint } from "../model/endpoint.ts";

/** The endpoints of each name. */
export type EndpointsByName = ReadonlyMap<string, readonly Endpoint[]>;

export function groupByName(endpoints: readonly Endpoint[]): EndpointsByName {
  return Map.groupBy(endpoints, (endpoint) => endpoint.dnsName);
}

/** The name itself, and every name and leaf on a way down from it. Cycles end where they close. */
export function reachableFrom(name: string, byName: EndpointsByName): ReadonlySet<string> {
  const reached = new Set([name]);
  for (const next of reached) {
    for (const { targets } of byName.get(next) ?? []) for (const target of targets) reached.add(target);
  }
  return reached;
}

/** The leaves on a way down from a name, each once. */
export function leavesBelow(name: string, byName: EndpointsByName): string[] {
  return [...reachableFrom(name, byName)].filter((reached) => !byName.has(reached) && reached !== name);
}

/**
 * Finds the name whose data answers for a target: its own, or the wildcard below its closest encloser (RFC 4592).
 * Undefined for a leaf.
 */
export function ownersIn(byName: EndpointsByName): (target: string) => string | undefined {
  const hasWildcard = byName.keys().some((name) => name.startsWith("*."));
  return (target) => {
    if (byName.has(target)) return target;
    return hasWildcard ? wildcardFor(target, byName) : undefined;
  };
}

function wildcardFor(target: string, byName: EndpointsByName): string | undefined {
  const labels = target.split(".");
  for (let depth = 1; depth < labels.length; depth += 1) {
    const ancestor = labels.slice(depth).join(".");
    if (!existsAtOrBelow(ancestor, byName)) continue;
    return byName.has(`*.${ancestor}`) ? `*.${ancestor}` : undefined;
  }
  return undefined;
}

function existsAtOrBelow(ancestor: string, byName: EndpointsByName): boolean {
  return byName.has(ancestor) || byName.keys().some((name) => name.endsWith(`.${ancestor}`));
}
