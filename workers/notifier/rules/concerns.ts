import { allowsRoot } from "../../../shared/allowed-hosts.ts";
import type { NotificationTarget } from "../../../shared/model/notification-target.ts";
import type { Trouble } from "../../../shared/model/trouble.ts";

const RECORD = "record/";

/** Whether a target gets this kind of alert. `hosts` limits records only: regions and clusters belong to no host. */
export function concerns({ kinds, hosts }: Pick<NotificationTarget, "kinds" | "hosts">, trouble: Trouble): boolean {
  if (kinds !== undefined && !kinds.includes(trouble.kind)) return false;
  if (hosts === undefined || !trouble.key.startsWith(RECORD)) return true;
  const rootHost = trouble.key.slice(RECORD.length);
  return hosts.some((host) => allowsRoot(host, rootHost));
}
