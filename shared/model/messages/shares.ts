import { z } from "zod";
import { condition } from "../condition.ts";
import { endpoint } from "../endpoint.ts";
import { messageNumber } from "../number.ts";
import { sealedHeaders } from "../probe.ts";
import { recordSpec } from "../record.ts";
import { recordStatus } from "../status.ts";

/** One accepted record of a cluster, on its way to the coordinator. */
const share = z.object({
  namespace: z.string(),
  name: z.string(),
  uid: z.string().optional(),
  generation: z.int().optional(),
  /** In manifest form: the coordinator parses it with the same schema. */
  spec: z.unknown().transform((spec) => recordSpec.parse(spec)),
  published: z.array(endpoint),
  headers: sealedHeaders.optional(),
  /** Set while the configuration is wrong: the probes of the record rest. */
  resting: condition.optional(),
});
export type ShareInput = z.input<typeof share>;

/** Cluster → coordinator: all accepted records of the cluster in one partition, whole. */
export const shares = z.object({
  version: z.literal(1),
  cluster: z.string(),
  number: messageNumber,
  shares: z.array(share),
});
export type SharesInput = z.input<typeof shares>;

/** Coordinator → cluster: all records that the cluster has a share in, in one partition, whole. */
export const decisions = z.object({
  version: z.literal(1),
  cluster: z.string(),
  partition: z.int().nonnegative(),
  number: messageNumber,
  records: z.array(recordStatus),
});
export type Decisions = z.infer<typeof decisions>;

/**
 * Coordinator → cluster: what the records are that differ from those of the decisions numbered `since`. Only who holds those, or
 * newer ones, can take it.
 */
export const decisionChanges = decisions.extend({
  since: messageNumber,
  /** Root hosts of records that the cluster has no share in any more. */
  removed: z.array(z.string()),
});
export type DecisionChanges = z.infer<typeof decisionChanges>;
