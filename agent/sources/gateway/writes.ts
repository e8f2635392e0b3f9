import type { PolicyStatus } from "../../../shared/model/dns-health-check-policy.ts";
import { type KubeObject, refKey } from "../../kubernetes/object.ts";
import { readDerived } from "./derived-record.ts";
import type { Changes, ClusterState } from "./plan.ts";

/** The API calls of the controller. Each call rejects if it does not succeed. */
export interface GatewayPort {
  /** Reads all Gateways and policies from the API server, not from the informers. */
  readAnew(): Promise<Pick<ClusterState, "gateways" | "policies">>;
  /**
   * Server-side apply. With a uid it is forced. Without a uid the object is to be created, so it is not forced: an
   * object that somebody else created meanwhile is left alone.
   */
  applyRecord(object: KubeObject): Promise<unknown>;
  /** Deletes the object if it still has this uid. */
  deleteRecord(object: KubeObject): Promise<unknown>;
  /** Server-side apply of the status. */
  applyPolicyStatus(policy: KubeObject, status: PolicyStatus): Promise<unknown>;
}

/** One write to one object. */
export interface Write {
  /** Identifies the object. */
  key: string;
  /** Identifies the content, without the time of writing. */
  content: string;
  /** The log message, such as `The DNSRecord shop/web-https could not be written`.. */
  failure: string;
  /** Namespace and host of the record. */
  host?: string;
  run: (port: GatewayPort) => Promise<unknown>;
}

/** The writes of a pass. Those of `last` come after `first`, and only if no write of their host failed. */
export function planWrites({ applies, deletes, statuses }: Changes): { first: Write[]; last: Write[] } {
  return {
    first: [
      ...applies.map((object) => ({
        ...about("DNSRecord", object, "written"),
        content: JSON.stringify([object.metadata, object.spec]),
        ...hostOf(object),
        run: (port: GatewayPort) => port.applyRecord(object),
      })),
      ...statuses.map(({ policy, status }) => ({
        ...about("status of the DNSHealthCheckPolicy", policy, "written"),
        content: JSON.stringify(status, (name, value) => (name === "lastTransitionTime" ? undefined : value)),
        run: (port: GatewayPort) => port.applyPolicyStatus(policy, status),
      })),
    ],
    last: deletes.map((object) => ({
      ...about("DNSRecord", object, "deleted"),
      content: `delete ${object.metadata.uid}`,
      ...hostOf(object),
      run: (port: GatewayPort) => port.deleteRecord(object),
    })),
  };
}

function about(what: string, { metadata }: KubeObject, done: string): Pick<Write, "key" | "failure"> {
  const key = `${what} ${refKey(metadata)}`;
  return { key, failure: `The ${key} could not be ${done}` };
}

function hostOf(object: KubeObject): { host?: string } {
  const host = readDerived(object)?.rootHost;
  return host === undefined ? {} : { host: `${object.metadata.namespace}/${host}` };
}
