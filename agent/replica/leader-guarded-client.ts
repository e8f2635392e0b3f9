import type { KubeClient } from "../kubernetes/client.ts";
import { KubeError } from "../kubernetes/errors.ts";
import type { Kind } from "../kubernetes/kinds.ts";

/** The part of the API client that a leader uses. */
export type LeaderClient = Pick<
  KubeClient,
  "get" | "list" | "watch" | "read" | "apply" | "create" | "replace" | "delete"
>;

/**
 * An API client that writes only while this replica leads. A process that was suspended still has its queues when it resumes. Its
 * clock then tells that it no longer leads, and no queued write is sent.
 */
export function guardByLeadership(client: LeaderClient, leads: () => boolean): LeaderClient {
  const guarded =
    <Rest extends unknown[], Value>(verb: string, write: (kind: Kind, ...rest: Rest) => Promise<Value>) =>
    async (kind: Kind, ...rest: Rest): Promise<Value> => {
      if (leads()) return write(kind, ...rest);
      const message = "this replica leads no more";
      throw new KubeError({ verb, what: kind.plural }, { code: 0, reason: "NotLeader", message });
    };
  return {
    get: (...args) => client.get(...args),
    list: (...args) => client.list(...args),
    watch: (...args) => client.watch(...args),
    read: (...args) => client.read(...args),
    apply: guarded("apply", (...args: Parameters<LeaderClient["apply"]>) => client.apply(...args)),
    create: guarded("create", (...args: Parameters<LeaderClient["create"]>) => client.create(...args)),
    replace: guarded("replace", (...args: Parameters<LeaderClient["replace"]>) => client.replace(...args)),
    delete: guarded("delete", (...args: Parameters<LeaderClient["delete"]>) => client.delete(...args)),
  };
}
