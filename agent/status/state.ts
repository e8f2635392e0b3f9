import { z } from "zod";
import { condition, statusCondition } from "../../shared/model/condition.ts";
import { endpoint } from "../../shared/model/endpoint.ts";
import { messageNumber } from "../../shared/model/number.ts";
import { deliveredRecord } from "../edge/delivered.ts";

const probeSummary = z.object({
  leaf: z.string(),
  verdict: z.string(),
  since: z.string(),
  consecutiveFailures: z.number(),
  failureThreshold: z.number(),
  regions: z.record(z.string(), z.string()).describe("What each region says, and why."),
});
export type ProbeSummary = z.infer<typeof probeSummary>;

const recordStatus = z.object({
  rootHost: z.string(),
  observedGeneration: z.number().optional(),
  conditions: z.array(statusCondition),
  published: z.array(endpoint),
  leaves: z.array(z.object({ leaf: z.string(), published: z.boolean(), reason: z.string() })),
  probes: z.array(probeSummary),
});
export type OwnRecordStatus = z.infer<typeof recordStatus>;

const recordState = z.object({
  status: recordStatus,
  manifest: z.object({
    file: z.string().optional(),
    line: z.number().optional(),
    uid: z.string().optional(),
    generation: z.number().optional(),
    createdAt: z.string().optional(),
    spec: z.unknown(),
  }),
  /** What the edge said of this very spec, by its digest. */
  answer: z.object({ digest: z.string(), condition }).optional(),
  /** The last spec that the edge took, where that is another than the manifest's. */
  acceptedSpec: z.unknown().optional(),
});
export type RecordState = z.infer<typeof recordState>;

const hostState = z.object({
  /** In DNS now; absent while nobody has decided it. */
  served: z.array(endpoint).optional(),
  delivered: deliveredRecord.optional(),
});
export type HostState = z.infer<typeof hostState>;

/**
 * The state that survives a restart: the identity of the cluster, the DNS content, the edge's last decisions, and the
 * status of each record. `clusterUid` stands first, so that it can be read from a file that was cut off. It never holds
 * a secret.
 */
export const stateSchema = z.object({
  clusterUid: z.string().min(1).max(128),
  version: z.literal(1),
  /** Numbers of one edge mean nothing at another. */
  edge: z.object({ url: z.string(), cluster: z.string() }),
  number: messageNumber,
  /** When the newest delivery was sent, by the edge's clock. A replay does not count as contact. */
  sentAt: z.number(),
  silent: z.boolean(),
  serial: z.number(),
  records: z.record(z.string(), recordState),
  hosts: z.record(z.string(), hostState),
  problems: z.array(z.string()),
});
export type State = z.infer<typeof stateSchema>;
