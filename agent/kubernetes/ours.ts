import type { ObjectMeta } from "./object.ts";

/** As whom the agent writes: field manager, label, component of Events and user agent. */
export const FIELD_MANAGER = "vedette-agent";

/** On every object that the agent creates. */
export const MANAGED_BY_US = { "app.kubernetes.io/managed-by": FIELD_MANAGER } as const;

/** Whether an object has the label of those that the agent creates. */
export function isManagedByUs({ labels }: Pick<ObjectMeta, "labels">): boolean {
  return Object.entries(MANAGED_BY_US).every(([name, text]) => labels?.[name] === text);
}
