import { z } from "zod";
import { messageNumber } from "../../../shared/model/number.ts";
import { jsonTable } from "./json-table.ts";

const row = z.object({
  /** Since when the cluster is known here, Unix ms. */
  knownAt: z.int(),
  /** Highest number of its shares that was taken. */
  sharesNumber: messageNumber,
  /** Whether it said that something of its records is in DNS already. */
  hasPublished: z.boolean(),
  /** Counts every change of its decisions that matters. */
  decided: z.int(),
  /** The highest of them that its object has taken. */
  handed: z.int(),
  /** Set where some of its shares could not be read back: nothing is handed out until it has sent them again. */
  damagedAt: z.int().optional(),
  /** Set while its agent cannot be reached: since when, and what the first call that failed said. */
  unreachable: z.object({ since: z.int(), failure: z.string() }).optional(),
  /** A grave: what is still on its way from a removed cluster, numbered in this epoch or before, must not bring it back. */
  removedEpoch: z.int().optional(),
});
export type ClusterRow = z.output<typeof row>;

/** Key: the cluster's name. */
export const clustersTable = (sql: SqlStorage) => jsonTable(sql, "clusters", row);
