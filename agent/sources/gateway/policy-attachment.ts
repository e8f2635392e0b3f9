import { z } from "zod";
import { type PolicySpec, policySpec } from "../../../shared/model/dns-health-check-policy.ts";
import { fieldErrors, formatFieldError } from "../../../shared/model/field-error.ts";
import { type KubeObject, refKey } from "../../kubernetes/object.ts";
import { createdAtMs, type Gateway } from "./gateway.ts";
import { memoize } from "./memoize.ts";

/** The content of a policy's `Accepted` condition, with Gateway API's reasons for policies. */
export interface Verdict {
  reason: "Accepted" | "Conflicted" | "Invalid" | "TargetNotFound";
  message: string;
}

/** The policies in force, and the verdict on each policy. */
export interface Attachment {
  /** The key of a target is the key of a Gateway, or `<key of the Gateway>/<listener>`. */
  policyByTarget: ReadonlyMap<string, Policy>;
  /** By policy key. */
  verdicts: ReadonlyMap<string, Verdict>;
}

/**
 * Attaches policies to Gateways by Gateway API's rules for direct policies. The oldest policy of a target wins, by
 * creation time and then by namespace and name; later ones conflict. A policy with an invalid spec wins too: a fallback
 * to the next one would change DNS because of a typing error.
 *
 * @param gateways undefined while the cluster does not serve the kind
 */
export function attachPolicies(gateways: readonly Gateway[] | undefined, policies: readonly Policy[]): Attachment {
  const byKey = new Map(gateways?.map((gateway) => [gateway.key, gateway]));
  const policyByTarget = new Map<string, Policy>();
  const verdicts = new Map<string, Verdict>();
  for (const policy of policies.filter(({ isBeingDeleted }) => !isBeingDeleted).toSorted(olderFirst)) {
    const missing = whyMissing(policy, gateways && byKey);
    if (missing !== undefined) {
      verdicts.set(policy.key, missing);
      continue;
    }
    const key = targetKey(policy);
    const holder = policyByTarget.get(key);
    if (holder === undefined) policyByTarget.set(key, policy);
    verdicts.set(policy.key, holder === undefined ? verdictOf(policy) : conflictWith(holder));
  }
  return { policyByTarget, verdicts };
}

/** The policy in force for a listener. The listener's own policy takes precedence over the Gateway's. */
export function policyFor({ policyByTarget }: Attachment, gateway: Gateway, listener: string): Policy | undefined {
  return policyByTarget.get(`${gateway.key}/${listener}`) ?? policyByTarget.get(gateway.key);
}

/** The policies in force for a Gateway or one of its listeners, each once. */
export function policiesOf({ policyByTarget }: Attachment, { key }: Gateway): Policy[] {
  const ofGateway = [...policyByTarget].filter(([target]) => target === key || target.startsWith(`${key}/`));
  return [...new Set(ofGateway.map(([, policy]) => policy))];
}

/** Compares objects by precedence: the older one first. */
export function olderFirst<Item extends { createdAtMs: number; key: string }>(a: Item, b: Item): number {
  return a.createdAtMs - b.createdAtMs || (a.key < b.key ? -1 : 1);
}

const targetKey = ({ namespace, target }: Policy) =>
  [namespace, target?.name, target?.sectionName].filter((part) => part !== undefined).join("/");

function whyMissing(policy: Policy, gateways: ReadonlyMap<string, Gateway> | undefined): Verdict | undefined {
  const { target, namespace, reading } = policy;
  if (target === undefined) return { reason: "Invalid", message: reading.ok ? "" : reading.message };
  const message = whyNotFound(target, namespace, gateways);
  return message === undefined ? undefined : { reason: "TargetNotFound", message };
}

function whyNotFound(
  { name, sectionName }: Target,
  namespace: string,
  gateways: ReadonlyMap<string, Gateway> | undefined,
): string | undefined {
  if (gateways === undefined)
    return "This cluster does not serve Gateways (gateway.networking.k8s.io/v1). Records that exist stay.";
  const gateway = gateways.get(`${namespace}/${name}`);
  if (gateway === undefined) return `There is no Gateway ${name} in the namespace ${namespace}.`;
  if (gateway.isBeingDeleted) return `The Gateway ${name} is being deleted.`;
  return hasListener(gateway, sectionName) ? undefined : `The Gateway ${name} has no listener ${sectionName}.`;
}

/** A listener that cannot be read may be the requested one, so it does not count as missing. */
const hasListener = ({ listeners, unreadable }: Gateway, sectionName: string | undefined) =>
  sectionName === undefined ||
  listeners.some(({ name }) => name === sectionName) ||
  unreadable.some(({ name = sectionName }) => name === sectionName);

const verdictOf = ({ reading }: Policy): Verdict =>
  reading.ok ? { reason: "Accepted", message: "" } : { reason: "Invalid", message: reading.message };

const conflictWith = (holder: Policy): Verdict => ({
  reason: "Conflicted",
  message: `The policy ${holder.name} is older and has the same target: delete one of them, or target another listener.`,
});

/** The target of a policy: a Gateway of its namespace, or one of its listeners. */
export interface Target {
  name: string;
  sectionName?: string | undefined;
}

/** A DNSHealthCheckPolicy of the API. */
export interface Policy {
  /** `namespace/name` */
  key: string;
  namespace: string;
  name: string;
  createdAtMs: number;
  isBeingDeleted: boolean;
  /** Undefined if it cannot be read. */
  target: Target | undefined;
  /** A policy with an invalid spec still holds its target, so that nothing changes until the spec is corrected. */
  reading: { ok: true; spec: PolicySpec } | { ok: false; message: string };
  object: KubeObject;
}

const targetShape = z.looseObject({
  targetRef: z.looseObject({ name: z.string().min(1), sectionName: z.string().optional() }),
});

/** Reads a policy of the API. */
export const readPolicy = memoize((object: KubeObject): Policy => {
  const { namespace = "default", name, deletionTimestamp } = object.metadata;
  const target = targetShape.safeParse(object.spec);
  const spec = policySpec.safeParse(object.spec);
  return {
    key: refKey({ namespace, name }),
    namespace,
    name,
    createdAtMs: createdAtMs(object.metadata),
    isBeingDeleted: deletionTimestamp !== undefined,
    target: target.data?.targetRef,
    reading: spec.success
      ? { ok: true, spec: spec.data }
      : { ok: false, message: fieldErrors(spec.error, object.spec, "spec").map(formatFieldError).join("; ") },
    object,
  };
});
