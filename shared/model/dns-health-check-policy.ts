import { z } from "zod";
import { statusConditions } from "./condition.ts";
import { recordTTL } from "./endpoint.ts";
import { policyHealthCheck } from "./health-check.ts";
import { API_VERSION, metadata } from "./manifest.ts";
import { minPublished, objectName, whenSilent } from "./record.ts";

const GATEWAY_GROUP = "gateway.networking.k8s.io";
/** As many as Gateway API's PolicyStatus holds. */
const MAX_ANCESTORS = 16;

const targetRef = z.strictObject({
  group: z.literal(GATEWAY_GROUP).default(GATEWAY_GROUP).describe("API group of the target."),
  kind: z.literal("Gateway").default("Gateway").describe("Kind of the target."),
  name: objectName.describe("Name of the Gateway, in the policy's namespace."),
  sectionName: objectName
    .optional()
    .describe("Name of a listener. Without it the policy is for all listeners that have none of their own."),
});

/** The spec of a `DNSHealthCheckPolicy`: which listeners of a Gateway become records, and how those are checked. */
export const policySpec = z.strictObject({
  targetRef: targetRef.describe("The Gateway, or one listener of it, that the policy is for."),
  recordTTL: recordTTL.default(60).describe("TTL of the record sets, in seconds."),
  weight: z
    .int()
    .min(0)
    .max(255)
    .optional()
    .describe("Publish addresses that are host names as weighted sets, each with this weight."),
  minPublished: minPublished.default(1).describe("Leaves that stay published whatever their health."),
  whenSilent: whenSilent
    .default("Publish")
    .describe("When no region reports any more: publish what cannot be judged, or freeze what is."),
  healthCheck: policyHealthCheck.optional().describe("Without it the addresses are published and not probed."),
});
export type PolicySpec = z.output<typeof policySpec>;

const ancestorRef = z.object({
  group: z.string().optional().describe("API group of the ancestor."),
  kind: z.string().optional().describe("Kind of the ancestor."),
  namespace: z.string().optional().describe("Namespace of the ancestor."),
  name: z.string().describe("Name of the ancestor."),
  sectionName: z.string().optional().describe("Name of a listener."),
});

const ancestor = z.object({
  ancestorRef: ancestorRef.describe("The object that the policy is attached to."),
  controllerName: z.string().describe("Who writes this entry."),
  conditions: statusConditions.describe("Accepted, and why not."),
});

/** The status of a policy in the form that Gateway API gives all policies. */
export const policyStatus = z.object({
  ancestors: z.array(ancestor).max(MAX_ANCESTORS).default([]).describe("What became of the policy, by target."),
});
export type PolicyStatus = z.output<typeof policyStatus>;

/** A `DNSHealthCheckPolicy` as the API server holds it. */
export const policyManifest = z.strictObject({
  apiVersion: z.literal(API_VERSION),
  kind: z.literal("DNSHealthCheckPolicy"),
  metadata,
  spec: policySpec,
  status: z.unknown().optional(),
});
