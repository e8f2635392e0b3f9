import { KubeError } from "./errors.ts";
import type { Kind } from "./kinds.ts";
import type { KubeObject } from "./object.ts";

export interface KubeList {
  items: KubeObject[];
  resourceVersion: string;
}

/** The items of a list of a built-in kind name neither kind nor apiVersion: they get them here. */
export function pageOf(kind: Kind, answer: unknown): KubeList & { next: string | undefined } {
  const {
    metadata,
    items,
    kind: said,
  } = (answer ?? {}) as {
    kind?: unknown;
    metadata?: { resourceVersion?: unknown; continue?: unknown };
    items?: unknown;
  };
  const version = metadata?.resourceVersion;
  const all = items === null ? [] : items;
  if (said !== `${kind.kind}List` || typeof version !== "string" || version === "" || !Array.isArray(all))
    throw notTheApi("list", kind);
  const whole = all.map((item: KubeObject) => ({ ...item, apiVersion: kind.apiVersion, kind: kind.kind }));
  if (!whole.every(({ metadata }) => typeof metadata?.name === "string")) throw notTheApi("list", kind);
  return { items: whole, resourceVersion: version, next: (metadata?.continue as string | undefined) || undefined };
}

/** The error for a 2xx that the API server would not have given. */
export function notTheApi(verb: string, { kind, plural }: Kind): KubeError {
  const message = `the answer is no ${kind}, nor a list of them: does a proxy answer for the API server?`;
  return new KubeError({ verb, what: plural }, { code: 0, reason: "NotTheAPI", message });
}
