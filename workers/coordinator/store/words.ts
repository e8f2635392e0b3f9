import { z } from "zod";
import { counts } from "../../../shared/model/probe.ts";
import { jsonTable } from "./json-table.ts";

/** One region's last word on one probe, written when its class changes: counts are saturated at the thresholds. */
const row = z.object({
  counts,
  /** When the check that changed it ended, Unix ms. */
  checkedAt: z.int(),
  succeededAt: z.int().optional(),
  /** Since when the region says what it says. */
  saidAt: z.int(),
});
export type WordRow = z.output<typeof row>;

/** Key: see `wordKey`. */
export const wordsTable = (sql: SqlStorage) => jsonTable(sql, "words", row);
