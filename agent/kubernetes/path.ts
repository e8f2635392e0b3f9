import type { Kind } from "./kinds.ts";
import type { ObjectRef } from "./object.ts";

export type Query = Readonly<Record<string, string | undefined>>;

/** `/apis/group/version` of a kind, or `/api/v1`. */
export function groupPath({ apiVersion }: Kind): string {
  return apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
}

/** Where the API server serves all objects of a kind, or those of one namespace. */
export function collectionPath(kind: Kind, namespace: string | undefined, query: Query = {}): string {
  const within = kind.namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : "";
  return `${groupPath(kind)}${within}/${kind.plural}${queryText(query)}`;
}

/**
 * Where the API server serves one object.
 *
 * @throws Error where the kind has namespaces and the reference names none
 */
export function objectPath(kind: Kind, ref: ObjectRef, subresource?: string, query: Query = {}): string {
  if (kind.namespaced && !ref.namespace) throw new Error(`${kind.kind} ${ref.name}: metadata.namespace is missing`);
  if (!ref.name) throw new Error(`${kind.kind}: metadata.name is missing`);
  const below = subresource === undefined ? "" : `/${subresource}`;
  return `${collectionPath(kind, ref.namespace)}/${encodeURIComponent(ref.name)}${below}${queryText(query)}`;
}

function queryText(query: Query): string {
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value !== undefined) params.set(key, value);
  return params.size === 0 ? "" : `?${params}`;
}
