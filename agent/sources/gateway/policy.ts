import { z } from "zod";
import { type PolicySpec, policySpec } from "../../../shared/model/dns-health-check-policy.ts";
import { fieldErrors, formatFieldError } from "../../../shared/model/field-error.ts";
import { type KubeObject, refKey } from "../../kubernetes/object.ts";
import { createdAtMs } from "./gateway.ts";
import { remembered } from "./memoize.ts";

/** What a policy is for: a Gateway of its namespace, or one listener of it. */
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
  /** Undefined where not even that can be read. */
  target: Target | undefined;
  /** A spec that is wrong still holds its target, so that nothing changes until it is mended. */
  reading: { ok: true; spec: PolicySpec } | { ok: false; message: string };
  object: KubeObject;
}

const targetShape = z.looseObject({
  targetRef: z.looseObject({ name: z.string().min(1), sectionName: z.string().optional() }),
});

/** Reads a policy of the API. */
export const readPolicy = remembered((object: KubeObject): Policy => {
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
