import type { Endpoint } from "../model/endpoint.ts";
import type { FieldError } from "../model/problem.ts";
import { type EndpointsByName, groupByName } from "./names.ts";
import { treeFaults } from "./tree-faults.ts";

/** The endpoints of one record as a graph: names point to names by CNAME and end in leaves. */
export type RecordTree = {
  /** Names that no other endpoint points to, sorted. */
  roots: readonly string[];
  /** Targets that are no endpoint's name, sorted, each once. */
  leaves: readonly string[];
  byName: EndpointsByName;
};

type TreeReading = { ok: true; tree: RecordTree } | { ok: false; errors: FieldError[] };

/**
 * Reads the endpoints of one record, as given. Refused by name: no endpoints, cycles, a CNAME with other data, one key twice,
 * mixed routing at a name (docs/design/decision.md).
 */
export function readTree(endpoints: readonly Endpoint[]): TreeReading {
  const byName = groupByName(endpoints);
  const errors = treeFaults(endpoints, byName);
  if (errors.length > 0) return { ok: false, errors };
  const targets = new Set(endpoints.flatMap((endpoint) => endpoint.targets));
  const roots = [...byName.keys()].filter((name) => !targets.has(name)).sort();
  const leaves = [...targets].filter((target) => !byName.has(target)).sort();
  return { ok: true, tree: { roots, leaves, byName } };
}
