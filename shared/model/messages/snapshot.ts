import { z } from "zod";
import { condition } from "../condition.ts";
import { endpoint } from "../endpoint.ts";
import { objectName, recordSpec } from "../record.ts";
import { wholeDelivery } from "./delivery.ts";

export const MAX_SNAPSHOT_BYTES = 4 * 1024 * 1024;

/** More than one coordinator's share of probes; a bound on what is read. */
const MAX_SNAPSHOT_RECORDS = 20_000;

/** First line of a snapshot (NDJSON). `records` is the number of lines that follow: a shorter body was cut off. */
export const snapshotHeader = z.object({
  version: z.literal(1),
  clusterUid: z.string().min(1).max(128),
  /** Which running agent this is: two that alternate under one cluster are found out by it. */
  instance: z.string().min(1).max(128),
  records: z.int().nonnegative().max(MAX_SNAPSHOT_RECORDS),
  /** Accept an empty snapshot, or one with less than half of the records, at once. */
  allowShrink: z.boolean().default(false),
});
export type SnapshotHeader = z.input<typeof snapshotHeader>;

/** Every further line: one record, whole. */
export const snapshotRecord = z.strictObject({
  namespace: objectName,
  name: objectName,
  uid: z.string().max(128).optional(),
  generation: z.int().nonnegative().optional(),
  spec: recordSpec,
  /** What the agent has in DNS now. An edge that lost its memory starts from this. */
  published: z.array(endpoint).default([]),
  /** Values of `additionalHeadersRef`, by header name. */
  headers: z.record(z.string(), z.string()).optional(),
  /** Why the headers cannot be given: the probes rest until they can. */
  headersProblem: z.string().max(300).optional(),
});
export type SnapshotRecord = z.output<typeof snapshotRecord>;
export type SnapshotRecordInput = z.input<typeof snapshotRecord>;

/** The answer to a snapshot: what became of each record, and the newest delivery. */
export const snapshotReceipt = z.object({
  version: z.literal(1),
  etag: z.string(),
  records: z.array(z.object({ line: z.int(), record: z.string().optional(), conditions: z.array(condition) })),
  /** Of the cluster as a whole, such as `DuplicateAgent`. */
  conditions: z.array(condition).optional(),
  delivery: wholeDelivery.optional(),
});
export type SnapshotReceipt = z.infer<typeof snapshotReceipt>;
