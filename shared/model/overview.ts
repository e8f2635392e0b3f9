import { z } from "zod";
import { event } from "./event.ts";
import { region } from "./region.ts";
import { regionView } from "./region-view.ts";
import { leafReason, verdict } from "./status.ts";

/**
 * The state of a record, the worst that applies:
 * - nothing healthy is left, and the last leaves stay
 * - a leaf is withheld as unhealthy, or kept only for `minPublished` or its family
 * - there is an advisory (a region dissents, a probe flaps), or a share is refused or in conflict
 * - a leaf has no verdict yet
 * - no region reports on a leaf
 * - no leaf is probed
 * - all leaves are healthy
 */
export const recordState = z.enum(["Critical", "Degraded", "Warning", "Pending", "Unknown", "NotProbed", "Healthy"]);
export type RecordState = z.infer<typeof recordState>;

/** What one region reports on all of a record's probes: the worst result. */
const regionSummary = z.strictObject({
  region,
  says: z.enum(["Healthy", "Unhealthy", "Pending", "Silent"]),
  unhealthy: z.int().nonnegative().describe("Probes that it says are unhealthy."),
  probes: z.int().nonnegative(),
});
export type RegionSummary = z.infer<typeof regionSummary>;

const leafSummary = z.strictObject({
  leaf: z.string().describe("`address 1` and so on where addresses are hidden."),
  published: z.boolean(),
  reason: leafReason,
  verdict: verdict.optional().describe("Absent where it is not probed."),
  since: z.int().nonnegative().optional().describe("Since when the verdict stands, Unix ms."),
  against: z
    .strictObject({
      regions: z.array(region),
      of: z.int().positive().describe("How many regions look at it."),
      saw: z.array(z.string()).describe("What they saw, in words: `connect timeout`."),
    })
    .optional()
    .describe("The regions that say it is unhealthy; absent while none does."),
});
export type LeafSummary = z.infer<typeof leafSummary>;

/** A record in the overview. */
const recordSummary = z.strictObject({
  rootHost: z.string(),
  state: recordState,
  clusters: z.array(z.string()),
  leaves: z.array(leafSummary),
  regions: z.array(regionSummary),
  decidedAt: z.int().nonnegative(),
});
export type RecordSummary = z.infer<typeof recordSummary>;

/** How a cluster and its agent do; times in Unix ms. It has no address of the agent and no secret. */
export const clusterHealth = z.strictObject({
  cluster: z.string(),
  records: z.int().nonnegative(),
  reachable: z.boolean().describe("False while deliveries fail."),
  failures: z.int().nonnegative().describe("Deliveries that failed in a row."),
  lastFailure: z.string().optional(),
  backlog: z.boolean().describe("Something was decided that the agent has not confirmed."),
  lastSnapshotAt: z.int().nonnegative().optional(),
  lastDeliveryAt: z.int().nonnegative().optional(),
  conditions: z.array(z.strictObject({ type: z.string(), reason: z.string(), message: z.string() })),
});
export type ClusterHealth = z.infer<typeof clusterHealth>;

/** What `GET /v1/overview` answers. */
export const overview = z.strictObject({
  at: z.int().nonnegative().describe("When it was read, Unix ms."),
  partitions: z.int().positive().describe("Each has a stream of its own: /v1/live?partition=0 and so on."),
  role: z.enum(["public", "viewer", "admin"]).describe("What the one who asks may see."),
  addressesHidden: z.boolean(),
  records: z.array(recordSummary),
  regions: z.array(regionView),
  clusters: z.array(clusterHealth).describe("Empty for the public."),
});
export type Overview = z.infer<typeof overview>;

/**
 * A message of the stream `/v1/live`. It has the records that changed, each whole, the root hosts that are gone, and the events
 * since the last message. The first has those since the `after` that the stream was opened with. Records are state, so the
 * overview corrects a lost message. Ids of events are those of the partition, and rise by one: a gap means that some were lost.
 */
export const liveMessage = z.strictObject({
  at: z.int().nonnegative().describe("Unix ms."),
  partition: z.int().nonnegative(),
  records: z.array(recordSummary),
  removed: z.array(z.string()),
  events: z.array(event),
  lastEventId: z.int().nonnegative().describe("Of the log, 0 while it is empty: what to come back with as `after`."),
});
export type LiveMessage = z.infer<typeof liveMessage>;
