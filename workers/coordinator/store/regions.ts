import { z } from "zod";
import { jsonTable } from "./json-table.ts";

/** Key: a region that is silent. */
export const regionsTable = (sql: SqlStorage) => jsonTable(sql, "regions", z.object({ silentSince: z.int() }));
