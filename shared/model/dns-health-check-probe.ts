import { z } from "zod";
import { statusConditions } from "./condition.ts";
import { healthCheckFields } from "./health-check-fields.ts";
import { protocol } from "./protocol.ts";
import { quorum } from "./quorum.ts";

/**
 * The probe of one leaf of a record. The agent writes it for people to read; an edit changes nothing. A field of the health
 * check that is not listed here keeps its schema.
 */
export const probeSpec = z.object({
  ...healthCheckFields.omit({ allowHeadersInCleartext: true }).partial().shape,
  record: z.string().describe("Name of the DNSRecord, in this namespace."),
  rootHost: z.string().describe("The name that users ask for."),
  address: z.string().describe("The leaf that is asked: an address, or a host name that is resolved at each check."),
  protocol: protocol.describe("How it is asked."),
  port: z.int().describe("The port that is asked."),
  host: z.string().optional().describe("Host header; with HTTPS also the server name (SNI) and the name to verify."),
  path: z.string().optional().describe("Request target, query included."),
  interval: z.string().describe("Between two checks from one region."),
  confirmInterval: z.string().optional().describe("Between two checks while what a region says is unsettled."),
  timeout: z.string().describe("Of a whole check."),
  staleAfter: z.string().optional().describe("A region without a completed check for so long is silent."),
  failureThreshold: z.int().describe("A region says unhealthy above so many failures in a row."),
  successThreshold: z.int().describe("And healthy again from so many successes in a row."),
  expectedStatuses: z.array(z.string()).optional().describe("Statuses or ranges that count as success."),
  expectedBody: z.string().optional().describe("Looked for in the first 64 KiB."),
  addressPolicy: z.string().optional().describe("Any or All: which addresses of a host name have to succeed."),
  additionalHeadersRef: z
    .object({ name: z.string().describe("Name of a Secret in this namespace.") })
    .optional()
    .describe("Secret whose headers go with each request."),
  allowInsecureCertificate: z
    .boolean()
    .optional()
    .describe("Whether a certificate that fails verification is let pass."),
  regions: z.array(z.string()).describe("Where it is asked from."),
  quorum: quorum.describe("How many regions have to agree before the address is withdrawn."),
});
export type ProbeSpec = z.output<typeof probeSpec>;

const time = () => z.string().meta({ format: "date-time" });

const regionResult = z.object({
  region: z.string().describe("Where the checks ran."),
  freshness: z.string().describe("Fresh, Awaited or Silent: whether the region reports."),
  says: z.string().describe("Pending, Healthy or Unhealthy: the word of this region."),
  consecutiveFailures: z.int().describe("Failed checks in a row."),
  consecutiveSuccesses: z.int().describe("Succeeded checks in a row."),
  reason: z.string().optional().describe("How the last check ended, in one word."),
  message: z.string().optional().describe("The same for people."),
  httpStatus: z.int().optional().describe("HTTP status of the last answer."),
  lastCheckedAt: time().optional().describe("When the last check ended."),
  colo: z.string().optional().describe("The data centre that it really ran in."),
  certificateExpiresAt: time().optional().describe("When the first certificate of the chain ends."),
});

/** What was found of one leaf. `healthy` is absent until there was a first verdict. */
export const probeObjectStatus = z.object({
  conditions: statusConditions.optional().describe("Healthy."),
  healthy: z.boolean().optional().describe("Absent until there was a first verdict."),
  verdict: z.string().describe("Healthy, Unhealthy, Pending or Unknown: what all regions together say."),
  since: time().optional().describe("Since when the verdict stands."),
  consecutiveFailures: z.int().describe("Failed checks in a row, in the region that has most."),
  lastCheckedAt: time()
    .optional()
    .describe("When the last check ended. Refreshed at a slow pace while nothing changes."),
  reason: z.string().optional().describe("How the last check ended, in one word."),
  message: z.string().optional().describe("The same for people."),
  status: z.int().optional().describe("HTTP status of the last answer."),
  publishedReason: z.string().optional().describe("Why the address is in DNS, or is not."),
  regions: z
    .array(regionResult)
    .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["region"] })
    .default([])
    .describe("What each region found."),
});
export type ProbeObjectStatus = z.output<typeof probeObjectStatus>;
