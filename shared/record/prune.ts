import type { Endpoint } from "../model/endpoint.ts";
import { endpointKey, inOrder } from "./key.ts";
import { reachableFrom } from "./names.ts";
import { routingOf } from "./routing.ts";
import type { RecordTree } from "./tree.ts";

/**
 * Step 4: what lies on a way from a root to one of its kept leaves. Only targets change, sorted and unique; a record
 * set without targets goes, or takes those of another where its geography would have no answer.
 */
export function prune(tree: RecordTree, keptByRoot: ReadonlyMap<string, ReadonlySet<string>>): Endpoint[] {
  const kept = keptByName(tree, keptByRoot);
  const live = new Map<string, Endpoint[]>();
  const liveAt = (name: string): Endpoint[] => {
    const known = live.get(name);
    if (known !== undefined) return known;
    const isLive = (target: string) =>
      tree.byName.has(target) ? liveAt(target).length > 0 : kept.get(name)?.has(target) === true;
    const endpoints = (tree.byName.get(name) ?? []).map((endpoint) => ({
      ...endpoint,
      targets: endpoint.targets.filter(isLive),
    }));
    const result = redirectDeadGeography(endpoints).filter(({ targets }) => targets.length > 0);
    live.set(name, result);
    return result;
  };
  return inOrder([...tree.byName.keys()].flatMap(liveAt));
}

/** For each name the leaves that a root above it keeps. */
function keptByName(tree: RecordTree, keptByRoot: ReadonlyMap<string, ReadonlySet<string>>) {
  const kept = new Map<string, Set<string>>();
  for (const [root, leaves] of keptByRoot) {
    for (const name of reachableFrom(root, tree.byName)) {
      kept.set(name, (kept.get(name) ?? new Set<string>()).union(leaves));
    }
  }
  return kept;
}

/**
 * A default geo set without targets takes those of the first live set of its name and type. Without a default, every dead geo set
 * does. Otherwise its clients would get no answer.
 */
function redirectDeadGeography(endpoints: readonly Endpoint[]): Endpoint[] {
  return endpoints.map((endpoint) => {
    const routing = routingOf(endpoint);
    if (routing.kind !== "Geo" || endpoint.targets.length > 0) return endpoint;
    const sets = endpoints.filter(({ recordType }) => recordType === endpoint.recordType);
    if (!routing.isDefault && sets.some(isDefaultGeo)) return endpoint;
    return { ...endpoint, targets: firstLive(sets)?.targets ?? [] };
  });
}

function isDefaultGeo(endpoint: Endpoint): boolean {
  const routing = routingOf(endpoint);
  return routing.kind === "Geo" && routing.isDefault;
}

function firstLive(sets: readonly Endpoint[]): Endpoint | undefined {
  return sets
    .filter(({ targets }) => targets.length > 0)
    .toSorted((a, b) => (endpointKey(a) < endpointKey(b) ? -1 : 1))
    .at(0);
}
