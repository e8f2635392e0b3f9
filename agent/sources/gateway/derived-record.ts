import { z } from "zod";
import { canonicalHost } from "../../../shared/model/host.ts";
import { recordSpec } from "../../../shared/model/record.ts";
import { GATEWAY } from "../../kubernetes/kinds.ts";
import { shortenWithHash } from "../../kubernetes/metadata.ts";
import { isManagedByUs, type KubeObject, MANAGED_BY_US, type ObjectMeta } from "../../kubernetes/object.ts";
import { GATEWAY_GROUP, type Gateway } from "./gateway.ts";
import { memoize } from "./memoize.ts";
import type { Policy } from "./policy-attachment.ts";

const POLICY = "vedette.dev/policy";

/** A DNSRecord in the cluster that the agent made from a Gateway. */
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
 * Reads a DNSRecord that was made from a Gateway. Such a record has the agent's label and a Gateway as its controller.
 * Undefined for any other record.
 */
export const readDerived = memoize((object: KubeObject): DerivedRecord | undefined => {
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

/** The metadata of a derived record, without its uid. */
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

const MAX_OBJECT_NAME = 253;
const MAX_LABEL_VALUE = 63;
const MAX_SET_IDENTIFIER = 128;

/**
 * The name of a listener's record: `<gateway>-<listener>`. It ends in a hash if it is too long, or if the listener's
 * name has a hyphen. Otherwise `a-b` with `c` and `a` with `b-c` would have the same name. It depends on these two
 * names only, so that another Gateway never changes it.
 */
export function recordName(gateway: string, listener: string): string {
  const plain = `${gateway}-${listener}`;
  const isPlain = !listener.includes("-") && plain.length <= MAX_OBJECT_NAME;
  return isPlain ? plain : shortenWithHash(plain, MAX_OBJECT_NAME, `${gateway}/${listener}`);
}

/** The value of a label that names an object, shortened if it is too long. */
export function labelValue(name: string): string {
  return name.length <= MAX_LABEL_VALUE ? name : shortenWithHash(name, MAX_LABEL_VALUE);
}

/** The set identifier of a host name's weighted set: the host name, shortened if it is too long. */
export function setIdentifier(host: string): string {
  return host.length <= MAX_SET_IDENTIFIER ? host : shortenWithHash(host, MAX_SET_IDENTIFIER);
}

const parse = memoize((spec: object) => recordSpec.safeParse(spec));

/** Parses the spec of a record, once for each object: there may be thousands, and each change reads all of them. */
export const parseSpec = (spec: unknown) =>
  typeof spec === "object" && spec !== null ? parse(spec) : recordSpec.safeParse(spec);
