import type { PolicyStatus } from "../../../shared/model/dns-health-check-policy.ts";
import { type KubeObject, refKey } from "../../kubernetes/object.ts";
import { readDerived } from "./derived-record.ts";
import type { Changes, ClusterState } from "./plan.ts";

/** Where the controller writes, and makes sure. Each call rejects where it does not succeed. */
export interface GatewayPort {
  /** All Gateways and policies as the API server has them now, whatever an informer holds. */
  readAnew(): Promise<Pick<ClusterState, "gateways" | "policies">>;
  /**
   * Server-side apply. With a uid, by force: that object is to be so. Without, not by force: it is to be created, and one of
   * somebody else's that has come up meanwhile is to be left alone.
   */
  applyRecord(object: KubeObject): Promise<unknown>;
  /** Deletes the object of this uid. */
  deleteRecord(object: KubeObject): Promise<unknown>;
  /** Server-side apply of the status. */
  applyPolicyStatus(policy: KubeObject, status: PolicyStatus): Promise<unknown>;
}

/** One write to one object. */
export interface Write {
  /** The object, whatever is written to it. */
  key: string;
  /** Changes with what is written, and not with the time of writing. */
  content: string;
  /** For people: `The DNSRecord shop/web-https could not be written`. */
  failure: string;
  /** The host of the namespace that a record is for. */
  host?: string;
  run: (port: GatewayPort) => Promise<unknown>;
}

/** The writes of a pass; those of `last` come after the others, and only where no other of their host failed. */
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
