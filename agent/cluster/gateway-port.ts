import type { GatewayPort } from "../gateway/writes.ts";
import type { KubeClient } from "../kubernetes/client.ts";
import { DNS_HEALTH_CHECK_POLICY, DNS_RECORD } from "../kubernetes/kinds.ts";
import type { KubeObject } from "../kubernetes/object.ts";
import { FIELD_MANAGER } from "../writer/diff.ts";
import type { Caches } from "./caches.ts";

/** Where the controller of the gateways writes: the API server, and the answers go into the caches at once. */
export function gatewayPort(
  client: Pick<KubeClient, "apply" | "delete">,
  { records, policies }: Pick<Caches, "records" | "policies">,
  leads: () => boolean,
): GatewayPort {
  const mayWrite = () => {
    if (!leads()) throw new Error("this replica leads no more");
  };
  return {
    async applyRecord(object: KubeObject) {
      mayWrite();
      const force = object.metadata.uid !== undefined;
      records.put(await client.apply(DNS_RECORD, object, { fieldManager: FIELD_MANAGER, force }));
    },
    async deleteRecord({ metadata }: KubeObject) {
      mayWrite();
      await client.delete(DNS_RECORD, metadata, { uid: metadata.uid });
    },
    async applyPolicyStatus({ metadata: { name, namespace, uid } }: KubeObject, status) {
      mayWrite();
      const object = {
        apiVersion: DNS_HEALTH_CHECK_POLICY.apiVersion,
        kind: DNS_HEALTH_CHECK_POLICY.kind,
        metadata: { name, ...(namespace !== undefined && { namespace }), ...(uid !== undefined && { uid }) },
        status,
      };
      const options = { fieldManager: FIELD_MANAGER, subresource: "status" } as const;
      policies.put(await client.apply(DNS_HEALTH_CHECK_POLICY, object, options));
    },
  };
}
