import type { z } from "zod";
import { policySpec, policyStatus } from "../../shared/model/dns-health-check-policy.ts";
import { probeObjectStatus, probeSpec } from "../../shared/model/dns-health-check-probe.ts";
import { dnsRecordStatus } from "../../shared/model/dns-record.ts";
import { recordSpec } from "../../shared/model/record.ts";

/** A column of `kubectl get`; one with priority 1 is shown with `-o wide` only. */
export interface Column {
  name: string;
  type: "string" | "integer" | "boolean" | "date";
  jsonPath: string;
  description?: string;
  priority?: 1;
}

/** What a custom resource is, beyond its schemas. */
export interface Kind {
  kind: string;
  plural: string;
  shortNames: readonly string[];
  categories: readonly string[];
  labels?: Readonly<Record<string, string>>;
  description: string;
  spec: z.ZodType;
  status: z.ZodType;
  columns: readonly Column[];
}

const AGE: Column = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };
const CATEGORY = "vedette";

const condition = (type: string, field: "status" | "reason", at = ".status.conditions") =>
  `${at}[?(@.type=="${type}")].${field}`;

const record: Kind = {
  kind: "DNSRecord",
  plural: "dnsrecords",
  shortNames: ["dnsr"],
  categories: [CATEGORY],
  description: "A host name, the DNS record sets under it and how their targets are checked.",
  spec: recordSpec,
  status: dnsRecordStatus,
  columns: [
    { name: "Host", type: "string", jsonPath: ".spec.rootHost" },
    { name: "Ready", type: "string", jsonPath: condition("Ready", "status"), description: "Whether it is in DNS." },
    {
      name: "Healthy",
      type: "string",
      jsonPath: condition("Healthy", "reason"),
      description: "What the regions say of its addresses.",
    },
    {
      name: "Published",
      type: "string",
      jsonPath: ".status.summary.published",
      description: "Addresses in DNS, of how many.",
    },
    AGE,
    { name: "Unhealthy", type: "string", jsonPath: ".status.summary.unhealthy", priority: 1 },
  ],
};

const probe: Kind = {
  kind: "DNSHealthCheckProbe",
  plural: "dnshealthcheckprobes",
  shortNames: ["dnsprobe"],
  categories: [CATEGORY],
  description: "The health check of one address of a DNSRecord. Made by the agent, and removed by it with the address.",
  spec: probeSpec,
  status: probeObjectStatus,
  columns: [
    { name: "Record", type: "string", jsonPath: ".spec.record" },
    { name: "Address", type: "string", jsonPath: ".spec.address" },
    { name: "Healthy", type: "boolean", jsonPath: ".status.healthy", description: "Empty until a first verdict." },
    {
      name: "Failures",
      type: "integer",
      jsonPath: ".status.consecutiveFailures",
      description: "Failed checks in a row.",
    },
    { name: "Reason", type: "string", jsonPath: ".status.reason", description: "How the last check ended." },
    { name: "Last check", type: "date", jsonPath: ".status.lastCheckedAt", description: "Refreshed at a slow pace." },
    AGE,
    {
      name: "Decision",
      type: "string",
      jsonPath: ".status.publishedReason",
      description: "Why the address is in DNS, or is not.",
      priority: 1,
    },
  ],
};

const ANCESTOR = ".status.ancestors[0].conditions";

const policy: Kind = {
  kind: "DNSHealthCheckPolicy",
  plural: "dnshealthcheckpolicies",
  shortNames: ["dnspolicy"],
  categories: [CATEGORY, "gateway-api"],
  labels: { "gateway.networking.k8s.io/policy": "Direct" },
  description: "Publishes the host names of a Gateway's listeners in DNS, and says how the addresses are checked.",
  spec: policySpec,
  status: policyStatus,
  columns: [
    { name: "Target", type: "string", jsonPath: ".spec.targetRef.name" },
    { name: "Accepted", type: "string", jsonPath: condition("Accepted", "status", ANCESTOR) },
    { name: "Reason", type: "string", jsonPath: condition("Accepted", "reason", ANCESTOR) },
    AGE,
  ],
};

/** The custom resources of the project. */
export const KINDS: readonly Kind[] = [record, probe, policy];
