import { z } from "zod";
import { type CelRule, cel, celText } from "./cel.ts";
import { endpoint } from "./endpoint.ts";
import { healthCheck } from "./health-check.ts";
import { comparableInCel, dnsName, isIdnInCel } from "./host.ts";

const MAX_ENDPOINTS = 500;
/** RFC 1123 subdomain, as Kubernetes names most objects. */
const OBJECT_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

export const objectName = z
  .string()
  .max(253)
  .regex(OBJECT_NAME, { error: "must be a Kubernetes object name (lower-case RFC 1123 subdomain)" });

const MIN_PUBLISHED_RULE = 'must be a number from 1, or a percentage such as "50%"';

/** How many leaves stay published whatever their health: a number from 1, or a percentage of the leaves. */
export const minPublished = z
  .union([z.int().min(1), z.string().regex(/^([1-9]\d?|100)%$/, { error: MIN_PUBLISHED_RULE })], {
    error: MIN_PUBLISHED_RULE,
  })
  .meta({
    maxLength: "100%".length,
    ...cel({
      rule: `type(self) == int ? self >= 1 : self.matches(${celText("^([1-9][0-9]?|100)%$")})`,
      message: MIN_PUBLISHED_RULE,
    }),
  });
export type MinPublished = z.infer<typeof minPublished>;

export const whenSilent = z.enum(["Publish", "Freeze"]);
export type WhenSilent = z.infer<typeof whenSilent>;

const spec = z.strictObject({
  rootHost: dnsName.describe("The name that users ask for; every endpoint is at it or under it."),
  endpoints: z.array(endpoint).min(1).max(MAX_ENDPOINTS).describe("DNS record sets, as external-dns writes them."),
  minPublished: minPublished.default(1).describe("Leaves that stay published whatever their health."),
  whenSilent: whenSilent
    .default("Publish")
    .describe("When no region reports any more: publish what cannot be judged, or freeze what is."),
  healthCheck: healthCheck.optional().describe("Without it the record is published and not probed."),
});

const UNDER_ROOT: CelRule = {
  rule: `${isIdnInCel("self.rootHost")} || self.endpoints.all(e, ${isIdnInCel("e.dnsName")} || ('.' + ${comparableInCel("e.dnsName")}).endsWith('.' + ${comparableInCel("self.rootHost")}.replace('*.', '')))`,
  message: "each dnsName must be the rootHost or a name under it",
  fieldPath: ".endpoints",
};

/**
 * Server-side apply takes the spec as one value. Otherwise a user's additions to a record that was made from a Gateway could not
 * be undone. The agent does not own a field that it never set.
 */
const ONE_VALUE = { "x-kubernetes-map-type": "atomic" };

/**
 * The spec of a `DNSRecord`: one root host with the DNS endpoints under it and, optionally, a health-check policy.
 * A name outside the root host is refused, so that nobody's plan reaches beyond its own names.
 */
export const recordSpec = spec.meta({ ...cel(UNDER_ROOT), ...ONE_VALUE }).superRefine((value, context) => {
  const apex = value.rootHost.replace(/^\*\./, "");
  for (const [index, { dnsName: name }] of value.endpoints.entries()) {
    if (name === value.rootHost || name === apex || name.endsWith(`.${apex}`)) continue;
    context.addIssue({
      code: "custom",
      message: `must be the rootHost ${value.rootHost} or a name under it`,
      path: ["endpoints", index, "dnsName"],
      input: name,
    });
  }
});
export type RecordSpec = z.output<typeof recordSpec>;
/** A spec as a manifest or a snapshot carries it: not yet parsed. */
export type RecordSpecInput = z.input<typeof recordSpec>;

/** Which record of a cluster: `namespace/name`, as Kubernetes writes it. */
export function recordKey(record: { namespace: string; name: string }): string {
  return `${record.namespace}/${record.name}`;
}
