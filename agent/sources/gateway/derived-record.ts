import { z } from "zod";
import { canonicalHost } from "../../../shared/model/host.ts";
import { GATEWAY } from "../../kubernetes/kinds.ts";
import type { KubeObject, ObjectMeta } from "../../kubernetes/object.ts";
import { isManagedByUs, MANAGED_BY_US } from "../../kubernetes/ours.ts";
import { GATEWAY_GROUP, type Gateway } from "./gateway.ts";
import { remembered } from "./memoize.ts";
import { labelValue } from "./naming.ts";
import type { Policy } from "./policy.ts";

const POLICY = "vedette.dev/policy";

/** A DNSRecord in the cluster that was made from a Gateway. */
export interface DerivedRecord {
  object: KubeObject;
  /** Name of the Gateway that owns it, in its namespace. */
  gateway: string;
  /** Name of the policy that it was made by. */
  policy: string | undefined;
  rootHost: string | undefined;
  targets: readonly string[];
}

const specShape = z.looseObject({ rootHost: z.string().optional(), endpoints: z.array(z.unknown()).default([]) });
const endpointShape = z.looseObject({ targets: z.array(z.string()) });

/**
 * Reads a DNSRecord that was made from a Gateway: it has our label, and a Gateway for its controller. Undefined for any other,
 * which is somebody else's.
 */
export const readDerived = remembered((object: KubeObject): DerivedRecord | undefined => {
  const { annotations, ownerReferences = [] } = object.metadata;
  const owner = ownerReferences.find(({ controller, ...ref }) => controller === true && isGateway(ref));
  if (!isManagedByUs(object.metadata) || owner === undefined) return undefined;
  const spec = specShape.safeParse(object.spec).data;
  const host = canonicalHost(spec?.rootHost ?? "", true);
  return {
    object,
    gateway: owner.name,
    policy: annotations?.[POLICY],
    rootHost: "host" in host ? host.host : undefined,
    targets: (spec?.endpoints ?? []).flatMap((one) => endpointShape.safeParse(one).data?.targets ?? []),
  };
});

const isGateway = ({ kind, apiVersion }: { kind: string; apiVersion: string }) =>
  kind === GATEWAY.kind && apiVersion.startsWith(`${GATEWAY_GROUP}/`);

/** What we say in the metadata of a derived record, its uid aside. */
export function derivedMetadata(name: string, gateway: Gateway, listener: string, policy: Policy): ObjectMeta {
  return {
    name,
    namespace: gateway.namespace,
    labels: { ...MANAGED_BY_US, "vedette.dev/gateway": labelValue(gateway.name) },
    annotations: { "vedette.dev/listener": listener, [POLICY]: policy.name },
    ownerReferences: [
      { apiVersion: GATEWAY.apiVersion, kind: GATEWAY.kind, name: gateway.name, uid: gateway.uid, controller: true },
    ],
  };
}
