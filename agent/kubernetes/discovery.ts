import type { KubeClient } from "./client.ts";
import { KubeError } from "./errors.ts";
import type { Kind } from "./kinds.ts";
import { groupPath } from "./path.ts";

/**
 * Whether the API server serves a kind, by its own word. A 404 alone is not that: a proxy without a backend answers so too, and
 * a server that has just started.
 *
 * @throws KubeError where discovery cannot be read (every account may, by the ClusterRole system:discovery)
 */
export async function isServed(client: Pick<KubeClient, "read">, kind: Kind): Promise<boolean> {
  if (!kind.apiVersion.includes("/")) return true;
  try {
    const { resources } = shaped(await client.read(groupPath(kind)), "APIResourceList", "resources");
    return resources.some(({ name }) => name === kind.plural);
  } catch (error) {
    if (!(error instanceof KubeError && error.code === 404)) throw error;
  }
  const { groups } = shaped(await client.read("/apis"), "APIGroupList", "groups");
  return groups.some(({ versions }) => versions?.some(({ groupVersion }) => groupVersion === kind.apiVersion));
}

interface Named {
  name?: string;
  versions?: { groupVersion?: string }[];
}

function shaped<Field extends string>(answer: unknown, kind: string, field: Field): Record<Field, Named[]> {
  const body = answer as ({ kind?: unknown } & Record<string, unknown>) | null;
  if (body?.kind === kind && Array.isArray(body[field])) return body as unknown as Record<Field, Named[]>;
  const message = `the answer is no ${kind}: does a proxy answer for the API server?`;
  throw new KubeError({ verb: "read", what: "discovery" }, { code: 0, reason: "NotTheAPI", message });
}

/** Whether an answer says that there is nothing of the kind, or no such object: `isServed` tells which. */
export const isMissing = (error: unknown): boolean => error instanceof KubeError && error.code === 404;
