import { KubeError } from "../kubernetes/errors.ts";
import type { Kind } from "../kubernetes/kinds.ts";
import { FIELD_MANAGER, type KubeObject, type ObjectRef } from "../kubernetes/object.ts";
import { isOurs, type Step } from "./diff.ts";
import type { ObjectCache, ObjectClient } from "./options.ts";

/** How a write ended. */
export type Outcome =
  | { type: "Done" }
  /** The object is gone, or its namespace is being deleted. */
  | { type: "Gone" }
  /** Another writer has changed the object since it was read. The cache now holds the current version. */
  | { type: "Overtaken" }
  | { type: "Foreign"; message: string }
  /** Will not succeed before somebody changes something. Rights may be granted without notice. */
  | { type: "Refused"; message: string; isForbidden: boolean }
  /** May succeed later. */
  | { type: "Failed"; message: string };

export interface Target {
  client: ObjectClient;
  cache: Pick<ObjectCache, "put">;
  kind: Kind;
  ref: ObjectRef;
}

/** A step that writes. */
export type Write = Exclude<Step, { type: "Foreign" | "Refused" }>;

export const FOREIGN = "an object of this name is there that is not ours: rename one of the two";

/** Executes one step against the API server and caches the result. Never throws for an error of the API. */
export async function execute(step: Write, target: Target): Promise<Outcome> {
  try {
    return await act(step, target);
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    if (error.code === 409) return afterConflict(error, step, target);
    return outcomeOf(error, step);
  }
}

async function act(step: Write, target: Target): Promise<Outcome> {
  const { client, cache, kind, ref } = target;
  const options = { fieldManager: FIELD_MANAGER };
  switch (step.type) {
    case "Create":
      return create(step.object, target);
    case "Apply":
      cache.put(await client.apply(kind, step.object, { ...options, force: true }));
      return { type: "Done" };
    case "ApplyStatus":
      cache.put(await client.apply(kind, step.object, { ...options, force: true, subresource: "status" }));
      return { type: "Done" };
    case "Delete":
      await client.delete(kind, ref, { uid: step.uid });
      return { type: "Done" };
  }
}

/** The cache may be behind, or hold our own objects only. An apply would take over a foreign object that it does not show. */
async function create(object: KubeObject, { client, cache, kind, ref }: Target): Promise<Outcome> {
  const there = await client.get(kind, ref);
  if (there !== undefined) {
    if (!isOurs(there, object)) return { type: "Foreign", message: FOREIGN };
    cache.put(there);
    return { type: "Overtaken" };
  }
  cache.put(await client.apply(kind, object, { fieldManager: FIELD_MANAGER, force: false }));
  return { type: "Done" };
}

/** A conflict means another uid, a newer version, a foreign object or a passing race. Reading the object tells which. */
async function afterConflict(conflict: KubeError, step: Write, { client, cache, kind, ref }: Target): Promise<Outcome> {
  try {
    const there = await client.get(kind, ref);
    if (there === undefined) return { type: "Gone" };
    if (isSeen(there, step)) return { type: "Failed", message: conflict.message };
    cache.put(there);
    return { type: "Overtaken" };
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    return outcomeOf(error, step);
  }
}

/** Whether the object has the uid and version that the step was made for, where the step names them. */
function isSeen({ metadata }: KubeObject, step: Write): boolean {
  const { uid, resourceVersion } = step.type === "Delete" ? { ...metadata, uid: step.uid } : step.object.metadata;
  const isSame = (seen: string | undefined, there: string | undefined) => seen === undefined || seen === there;
  return isSame(uid, metadata.uid) && isSame(resourceVersion, metadata.resourceVersion);
}

function outcomeOf(error: KubeError, step: Write): Outcome {
  const { code, message } = error;
  if (error.isRetryable) return { type: "Failed", message };
  if (code === 404 && step.type !== "Create") return { type: "Gone" };
  if (error.isNamespaceEnding) return { type: "Gone" };
  return { type: "Refused", message, isForbidden: code === 403 };
}
