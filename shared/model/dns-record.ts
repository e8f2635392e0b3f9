import { z } from "zod";
import { statusConditions } from "./condition.ts";
import { endpoint } from "./endpoint.ts";
import { whenSilent } from "./record.ts";

const share = z.object({
  cluster: z.string().describe("Name of the cluster."),
  record: z.string().describe("The record there: namespace/name."),
});

/** The edge's newest decision on a root host: what is to be in DNS, and by whom and why. */
const decision = z.object({
  endpoints: z.array(endpoint).describe("What is to be in DNS, whole: also what other clusters contribute."),
  whenSilent: whenSilent.describe("What is done with it once the edge is silent."),
  shares: z.array(share).describe("The records, of all clusters, that it was made of."),
  leaves: z
    .array(
      z.object({
        leaf: z.string().describe("An address, or a host name that nothing in the record leads on from."),
        published: z.boolean().describe("Whether it is in DNS."),
        reason: z.string().describe("Which step of the decision said so."),
      }),
    )
    .describe("Each leaf of the host, and why it is published or withheld."),
  decidedAt: z.string().meta({ format: "date-time" }).describe("When the decision last changed."),
});

/** What the regions together say of one leaf, in short; the rest stands in its `DNSHealthCheckProbe`. */
const probe = z.object({
  cluster: z.string().describe("The cluster that has it probed."),
  record: z.string().describe("The record there: namespace/name."),
  leaf: z.string().describe("The address or host name."),
  verdict: z.string().describe("Healthy, Unhealthy, Pending or Unknown."),
  since: z.string().meta({ format: "date-time" }).describe("Since when the verdict stands."),
  consecutiveFailures: z.int().describe("Failed checks in a row, in the region that has most."),
  failureThreshold: z.int().describe("A region says unhealthy above so many."),
});

/** The status of a `DNSRecord`, as the agent writes it and reads it back after a restart. It never holds a secret. */
export const dnsRecordStatus = z.object({
  observedGeneration: z.int().optional().describe("The generation of the spec that this status is about."),
  conditions: statusConditions.default([]).describe("Accepted, Ready, Healthy, EdgeReachable and others."),
  published: z.array(endpoint).optional().describe("In DNS now; absent while nobody has decided it."),
  decision: decision.optional().describe("The edge's newest decision on the root host."),
  probes: z.array(probe).optional().describe("The probes of the root host, of all clusters."),
  summary: z
    .object({
      published: z.string().describe("How many of the record's leaves are in DNS: 2/3."),
      unhealthy: z.string().optional().describe("The leaves that are unhealthy, as far as there is room."),
    })
    .optional()
    .describe("For people: what kubectl get shows."),
  lastAccepted: z
    .object({
      spec: z
        .record(z.string(), z.unknown())
        .meta({ "x-kubernetes-preserve-unknown-fields": true })
        .describe("As it was written."),
    })
    .optional()
    .describe("The last spec that was accepted, only while the one above is refused: it is the one in force."),
});
export type DnsRecordStatus = z.output<typeof dnsRecordStatus>;
