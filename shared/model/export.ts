import { z } from "zod";
import { clusterName, clusterRegistration } from "./cluster.ts";
import { dnsName } from "./host.ts";
import { sealed } from "./probe.ts";

/** Bytes of an export that an edge takes. A cluster is some hundred, with a hundred hosts some thousand. */
export const MAX_IMPORT_BYTES = 8 * 1024 * 1024;

/*
 * An export is NDJSON: the head on the first line, then one cluster or record a line, then the end. What is watched and what is
 * published are not taken from it: each agent pushes both, and newer.
 */

export const exportHead = z.strictObject({
  kind: z.literal("Export"),
  version: z.literal(1),
  at: z.int().nonnegative().describe("When it was made, Unix ms."),
});
export type ExportHead = z.infer<typeof exportHead>;

export const exportedCluster = z.strictObject({
  kind: z.literal("Cluster"),
  ...clusterRegistration.shape,
  clusterUid: z.string().max(128).optional().describe("The cluster that the name is bound to."),
  secrets: sealed.optional().describe("Its webhook secrets, sealed with HEADER_KEY; absent where the edge has none."),
});
export type ExportedCluster = z.infer<typeof exportedCluster>;

/** For people to compare before and after a move. An import passes it over. */
export const exportedRecord = z.strictObject({
  kind: z.literal("Record"),
  rootHost: dnsName,
  published: z.array(z.string()),
  withheld: z.array(z.string()),
});
export type ExportedRecord = z.infer<typeof exportedRecord>;

export const exportEnd = z.strictObject({
  kind: z.literal("End"),
  clusters: z.int().nonnegative(),
  records: z.int().nonnegative(),
});
export type ExportEnd = z.infer<typeof exportEnd>;

export const importReceipt = z.strictObject({
  clusters: z.array(
    z.strictObject({
      line: z.int().positive(),
      cluster: clusterName,
      secret: z
        .string()
        .optional()
        .describe("A new one, shown this once: where it is absent the cluster has those that it had."),
    }),
  ),
  errors: z
    .array(
      z.strictObject({
        line: z.int().positive(),
        field: z.string(),
        value: z.string().optional(),
        rule: z.string(),
      }),
    )
    .describe("Lines that were not taken; the others were."),
});
export type ImportReceipt = z.infer<typeof importReceipt>;
