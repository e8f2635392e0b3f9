import { z } from "zod";
import { digest } from "../../../shared/hash.ts";
import { canonicalHost } from "../../../shared/model/host.ts";
import { recordSpec } from "../../../shared/model/record.ts";
import { GATEWAY } from "../../kubernetes/kinds.ts";
import { isManagedByUs, type KubeObject, MANAGED_BY_US, type ObjectMeta } from "../../kubernetes/object.ts";
import { GATEWAY_GROUP, type Gateway } from "./gateway.ts";
import { memoize } from "./memoize.ts";
import type { Policy } from "./policy-attachment.ts";

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

const MAX_OBJECT_NAME = 253;
const MAX_LABEL_VALUE = 63;
const MAX_SET_IDENTIFIER = 128;
const HASH_DIGITS = 8;

/**
 * The name of the record of a listener: `<gateway>-<listener>`. A listener's name with a hyphen in it gets a hash behind,
 * since `a-b` with `c` and `a` with `b-c` would else have one name; so does a name that is too long. It depends on nothing
 * but the two, so that a record never changes its name on account of another Gateway.
 */
export function recordName(gateway: string, listener: string): string {
  const plain = `${gateway}-${listener}`;
  const isPlain = !listener.includes("-") && plain.length <= MAX_OBJECT_NAME;
  return isPlain ? plain : withHash(plain, `${gateway}/${listener}`, MAX_OBJECT_NAME);
}

/** The value of a label that names an object. */
export function labelValue(name: string): string {
  return name.length <= MAX_LABEL_VALUE ? name : withHash(name, name, MAX_LABEL_VALUE);
}

/** What tells the weighted set of a host name from the others: the host name, shortened where it is too long for one. */
export function setIdentifier(host: string): string {
  return host.length <= MAX_SET_IDENTIFIER ? host : withHash(host, host, MAX_SET_IDENTIFIER);
}

/** The text, shortened so that it ends in `-` and the hash and is legal as a name. */
function withHash(text: string, identity: string, maxLength: number): string {
  const head = text.slice(0, maxLength - HASH_DIGITS - 1).replace(/[-.]+$/, "");
  return `${head}-${digest(identity).slice(0, HASH_DIGITS)}`;
}

const parse = memoize((spec: object) => recordSpec.safeParse(spec));

/** Parses the spec of a record. To do it once for each counts: there may be thousands, and each change looks at all. */
export const parseSpec = (spec: unknown) =>
  typeof spec === "object" && spec !== null ? parse(spec) : recordSpec.safeParse(spec);
