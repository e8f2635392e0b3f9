import type { Endpoint } from "../../../shared/model/endpoint.ts";
import { endpointKey } from "../../../shared/record/key.ts";
import { type EndpointsByName, groupByName, ownersIn } from "../../../shared/record/names.ts";
import { routingOf } from "../../../shared/record/routing.ts";

/** A name with the targets of its record sets, or a leaf. `repeated` if it was drawn above. */
export type TreeNode =
  | { kind: "name"; id: string; name: string; repeated: boolean; branches: Branch[] }
  | { kind: "leaf"; id: string; leaf: string; repeated: boolean };

/** The edge from a name to one target of a record set. */
export interface Branch {
  /** `A`, `AAAA` or `CNAME`. */
  type: string;
  ttlSeconds: number;
  /** The routing of the set: `weight 120`, `geo EU`, `default`, its identifier; empty for a plain set. */
  routing: string;
  /** Whether the decision publishes this target in this set. */
  published: boolean;
  to: TreeNode;
}

interface Drawing {
  byName: EndpointsByName;
  ownerOf: (target: string) => string | undefined;
  published: ReadonlySet<string>;
  drawn: Set<string>;
}

/**
 * Lays out the endpoints of one record as trees, one for each name that no other name points to. Names are sorted;
 * targets keep their order. A cycle ends the branch, and every name is drawn, even one that only a cycle reaches.
 */
export function layoutTree(wanted: readonly Endpoint[], decided: readonly Endpoint[]): TreeNode[] {
  const byName = groupByName(wanted);
  const drawing: Drawing = {
    byName,
    ownerOf: ownersIn(byName),
    published: new Set(decided.flatMap((one) => one.targets.map((target) => branchKey(one, target)))),
    drawn: new Set(),
  };
  const names = [...byName.keys()].sort();
  const pointedTo = new Set(
    wanted.flatMap(({ targets }) => targets.map((target) => drawing.ownerOf(target) ?? target)),
  );
  const roots = names.filter((name) => !pointedTo.has(name)).map((name) => nameNode(name, drawing));
  for (const name of names) if (!drawing.drawn.has(name)) roots.push(nameNode(name, drawing));
  return roots;
}

/** The leaves in the order of the trees, each once. */
export function leavesInOrder(roots: readonly TreeNode[]): string[] {
  const leavesOf = (node: TreeNode): string[] => {
    if (node.repeated) return [];
    return node.kind === "leaf" ? [node.leaf] : node.branches.flatMap(({ to }) => leavesOf(to));
  };
  return roots.flatMap(leavesOf);
}

function nameNode(name: string, drawing: Drawing): TreeNode {
  const repeated = drawing.drawn.has(name);
  drawing.drawn.add(name);
  const sets = repeated ? [] : (drawing.byName.get(name) ?? []);
  const branches = sets.flatMap((set) => [...new Set(set.targets)].map((target) => branch(set, target, drawing)));
  return { kind: "name", id: `name-${name}`, name, repeated, branches };
}

function branch(set: Endpoint, target: string, drawing: Drawing): Branch {
  const owner = drawing.ownerOf(target);
  return {
    type: set.recordType,
    ttlSeconds: set.recordTTL,
    routing: routingWords(set),
    published: drawing.published.has(branchKey(set, target)),
    to: owner === undefined ? leafNode(target, drawing) : nameNode(owner, drawing),
  };
}

function leafNode(leaf: string, { drawn }: Drawing): TreeNode {
  const repeated = drawn.has(leaf);
  drawn.add(leaf);
  return { kind: "leaf", id: `leaf-${leaf}`, leaf, repeated };
}

function routingWords(set: Endpoint): string {
  const routing = routingOf(set);
  switch (routing.kind) {
    case "Plain":
      return "";
    case "Weighted":
      return `weight ${routing.weight}`;
    case "Geo":
      return routing.isDefault ? "geo default" : `geo ${routing.code}`;
    default:
      return `set ${set.setIdentifier}`;
  }
}

const branchKey = (set: Endpoint, target: string): string => `${endpointKey(set)} ${target}`;
