import type { KubeClient } from "../kubernetes/client.ts";
import { KubeError } from "../kubernetes/errors.ts";
import { DNS_HEALTH_CHECK_POLICY, DNS_RECORD, GATEWAY, type Kind } from "../kubernetes/kinds.ts";
import { FIELD_MANAGER, type KubeObject } from "../kubernetes/object.ts";
import type { GatewayPort } from "../sources/gateway/writes.ts";
import type { Informers } from "./informers.ts";

/** Where the controller of the gateways writes: the API server, and the answers go into the caches at once. */
export function gatewayPort(
  client: Pick<KubeClient, "apply" | "delete" | "list">,
  { records, policies }: Pick<Informers, "records" | "policies">,
): GatewayPort {
  const listed = async (kind: Kind) => {
    try {
      return (await client.list(kind)).items;
    } catch (error) {
      // A kind that is not known: that there are none of it is not said by that.
      if (error instanceof KubeError && error.code === 404) return undefined;
      throw error;
    }
  };
  return {
    readAnew: async () => ({ gateways: await listed(GATEWAY), policies: await listed(DNS_HEALTH_CHECK_POLICY) }),
    async applyRecord(object: KubeObject) {
      const force = object.metadata.uid !== undefined;
      records.put(await client.apply(DNS_RECORD, object, { fieldManager: FIELD_MANAGER, force }));
    },
    async deleteRecord({ metadata }: KubeObject) {
      await client.delete(DNS_RECORD, metadata, { uid: metadata.uid });
    },
    async applyPolicyStatus({ metadata: { name, namespace, uid } }: KubeObject, status) {
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
