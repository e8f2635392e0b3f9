import { z } from "zod";
import { verdict } from "../../../shared/model/status.ts";
import { jsonTable } from "./json-table.ts";

const row = z.object({
  revision: z.string(),
  standing: z.object({ verdict, since: z.int(), provenAt: z.int().optional() }).optional(),
  /** Key of its shard: remembered, never computed again. */
  shard: z.string(),
  /** When the shard's regions were given the probe, and when its timing was last edited, Unix ms. */
  assignedAt: z.int(),
  timingEditedAt: z.int(),
});
export type ProbeRow = z.output<typeof row>;

/** Key: the probe's id. Target and policy are not here: the shares have them. */
export const probesTable = (sql: SqlStorage) => jsonTable(sql, "probes", row);
