import { z } from "zod";
import { endpoint } from "../../../shared/model/endpoint.ts";
import { leafDecision } from "../../../shared/model/status.ts";
import { troubleKind } from "../../../shared/model/trouble.ts";
import { jsonTable } from "./json-table.ts";

const row = z.object({
  /** What is to be in DNS: the next decision starts from it. */
  endpoints: z.array(endpoint),
  leaves: z.array(leafDecision),
  decidedAt: z.int(),
  /** What is wrong with it, and since when. */
  trouble: z.object({ kind: troubleKind, since: z.int() }).optional(),
});
export type RecordRow = z.output<typeof row>;

/** Key: the root host. */
export const recordsTable = (sql: SqlStorage) => jsonTable(sql, "records", row);
