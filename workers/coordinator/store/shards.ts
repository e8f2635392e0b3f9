import { z } from "zod";
import { region } from "../../../shared/model/region.ts";
import { jsonTable } from "./json-table.ts";

const row = z.object({
  intervalMs: z.int(),
  n: z.int(),
  regions: z.array(region).min(1),
  /** Number of its newest assignment within the epoch, and what each region has acknowledged of it. */
  assigned: z.int(),
  acknowledged: z.partialRecord(region, z.int()),
});

/** Key: `intervalMs/n`. One that has become empty stays until all of its probers know that. */
export const shardsTable = (sql: SqlStorage) => jsonTable(sql, "shards", row);
